// What the mod does, in the host's own kit: `claude plugin test`. Nothing sits beneath it;
// each hook here stands for the engine.

import { expect, test } from 'claude-code/testing'

const pane = {
  plugin: 'research-council',
  surface: 'terminal',
  component: 'Pane',
  requestId: 'research-council',
  props: { title: 'Research council', isFocused: false, bodyColumns: 60, placement: 'dock', scroll: { offset: 0, bodyRows: 20 }, view: {} },
} as const

const running = { run: '20260222-143000-a1b2c3', lines: ['research 2/13', 'codex 1/2: reads runtime/proc.go'] }

const surroundings = (on: any, says: () => string, isPlaced = true): string[] => {
  const seen: string[] = []
  on('process.run', () => {
    seen.push('look')
    return { value: { stdout: says(), stderr: '', exitCode: 0 } }
  })
  on('session.root', () => ({ value: '/project' }))
  on('session.id', () => ({ value: 's' }))
  on('session.surfaces', () => ({ value: ['terminal'] }))
  on('session.start', (_: unknown, e: { cwd: string }) => ({ cwd: e.cwd }))
  on('turn.start', () => ({ turnId: 't' }))
  on('clock.every', (_: unknown, e: { ms: number }) => {
    seen.push(`every ${e.ms}`)
    return { value: { cancel: () => {} } }
  })
  on('ui.open', () => {
    seen.push('open')
    return { value: { isPlaced: true } }
  })
  on('ui.panes', () => ({ value: [{ id: 'research-council', title: 'Research council', isPlaced }] }))
  on('ui.status', (_: unknown, e: { text?: string }) => {
    seen.push(`below the prompt: ${e.text ?? 'nothing'}`)
    return { value: {} }
  })
  on('ui.close', () => {
    seen.push('close')
    return { value: {} }
  })
  on('ui.toast', (_: unknown, e: { text: string }) => {
    seen.push(e.text)
    return { value: {} }
  })
  return seen
}

/** Waits until something holds: the mod looks by itself. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(done => setTimeout(done, 10))
}

const end = 'Research has ended: completed. Report: /r/final-report.md'

test('a pane opens for the run of a session, shows it, and closes with its end', async ($, on) => {
  let told: object = running
  const seen = surroundings(on, () => JSON.stringify(told))
  await $.session.start({ cwd: '/', surface: 'terminal', isInteractive: true })
  await until(() => seen.includes('open'))
  const ui = await $.ui.mount(pane)
  expect((await ui.find({ type: 'Text', text: /codex 1/ }))?.text).toBe('codex 1/2: reads runtime/proc.go')
  await ui.unmount()
  told = { ...running, end }
  await $.turn.start({ turnId: 't', prompt: 'hello' } as any)
  await until(() => seen.includes('close'))
  expect(seen).toEqual(['every 2000', 'look', 'open', 'look', end, 'close'])
})

test('a session without a run sees no pane, and is looked at no further', async ($, on) => {
  const seen = surroundings(on, () => '')
  await $.session.start({ cwd: '/', surface: 'terminal', isInteractive: true })
  await until(() => seen.length === 2)
  await $.turn.start({ turnId: 't', prompt: 'hello' } as any)
  await until(() => seen.length === 3)
  expect(seen).toEqual(['every 2000', 'look', 'look'])
})

test('a run without room for its pane is shown in a line', async ($, on) => {
  let told: object = running
  const seen = surroundings(on, () => JSON.stringify(told), false)
  await $.session.start({ cwd: '/', surface: 'terminal', isInteractive: true })
  await until(() => seen.length === 4)
  told = { ...running, end }
  await $.turn.start({ turnId: 't', prompt: 'hello' } as any)
  await until(() => seen.includes('below the prompt: nothing'))
  expect(seen).toEqual(['every 2000', 'look', 'open', 'below the prompt: research 2/13 · codex 1/2: reads runtime/proc.go', 'look', end, 'close', 'below the prompt: nothing'])
})

test('the pane is opened while the command is carried out that asks for a run', async ($, on) => {
  let told = ''
  const seen = surroundings(on, () => told)
  on('command.run', () => ({ text: '' }))
  await $.command.run({ command: 'research-council:deep-research', args: 'Why?' } as any)
  expect(seen).toEqual(['look', 'open'])
  await $.turn.start({ turnId: 't', prompt: 'Why?' } as any)
  await until(() => seen.length === 3)
  expect(seen).not.toContain('close')
  told = JSON.stringify(running)
  await $.turn.start({ turnId: 'u', prompt: 'And?' } as any)
  await until(() => seen.filter(what => what === 'open').length === 2)
  told = JSON.stringify({ ...running, end })
  await $.turn.start({ turnId: 'v', prompt: 'And?' } as any)
  await until(() => seen.includes('close'))
})

test('what a command comes to in words is shown, and no model is asked', async ($, on) => {
  surroundings(on, () => '20260222-143000-a1b2c3  running\n')
  on('command.run', () => ({ text: 'the host' }))
  const answer = await $.command.run({ command: 'research-council:status', args: '' } as any)
  expect(answer).toEqual({ text: '20260222-143000-a1b2c3  running', isTextDisplayOnly: true })
})

test('the menu has the five commands that a person meets first', async ($, on) => {
  on('command.describe', (_: unknown, e: { command: string }) => ({ description: '', isHidden: false }) as any)
  const hidden = async (name: string): Promise<unknown> => (await $.command.describe({ command: `research-council:${name}`, description: '', isHidden: false } as any) as any).isHidden
  for (const name of ['deep-research', 'full-review', 'status', 'cancel-research', 'help']) expect(await hidden(name)).toBe(false)
  for (const name of ['full-auto', 'implement', 'accept-change']) expect(await hidden(name)).toBe(true)
})
