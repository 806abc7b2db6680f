// What the plugin does inside Claude Code, where that takes mods: the menu shows
// five commands, what a command comes to in words alone is shown as its answer,
// without a turn of a model, and a pane shows the session's run while it goes on.
// Without mods all commands are in the menu, the hooks in hooks.json answer, and
// there is no pane.

import type { EngineInterface, Register } from 'claude-code'

const plugin = 'research-council'

/** What a person meets first. The others run when they are typed in full; help lists them. */
const menu = ['deep-research', 'full-review', 'status', 'cancel-research', 'help']

/** Those that begin a run. The pane is opened while one is carried out: the host draws a pane that a person has asked for at any width, others from 144 columns alone. */
const begins = [
  'deep-research', 'staged-research', 'full-review', 'research', 'research-and-plan', 'full-auto', 'implement', 'continue-auto',
]

/** Those that the program answers in words, or that it may refuse before anything begins. */
const answered = [
  'deep-research', 'staged-research', 'full-review', 'cancel-research', 'status', 'confirm-brief',
  'accept-change', 'refuse-change', 'research', 'research-and-plan', 'full-auto', 'implement',
  'continue-auto', 'research-loop',
]

export const register: Register = on => {
  on('command.describe', async ($, e, next) => {
    const shown = await next(e)
    const isExtra = e.command.startsWith(`${plugin}:`) && !menu.includes(e.command.slice(plugin.length + 1))
    return isExtra ? { ...shown, isHidden: true } : shown
  })

  for (const name of answered) {
    const command = `${plugin}:${name}`
    on('command.run', { command }, async ($, e, next) => {
      const words = await answer($, command, e.args).catch(() => '')
      if (words !== '') return { text: words.trimEnd(), isTextDisplayOnly: true }
      expected = 30
      if (begins.includes(name) && shown === undefined && (await $.session.surfaces()).length > 0) {
        shown = { run: '', lines: ['The run is being prepared.'] }
        await $.ui.open({ id: plugin, title, rows: 10 }).catch(() => undefined)
      }
      return next(e)
    })
  }

  on('session.start', async ($, e, next) => {
    if (e.isInteractive) {
      void look($)
      watch($)
    }
    return next(e)
  })
  on('turn.start', async ($, e, next) => {
    if ((await $.session.surfaces()).length > 0) void look($)
    return next(e)
  })
  on('ui.close', { id: plugin }, async ($, e, next) => {
    if (e.origin.kind === 'person') closedByPerson = shown?.run ?? ''
    return next(e)
  })
  on('ui.render', { component: 'Pane' }, async ($, e, next) => {
    if (e.requestId !== plugin) return next(e)
    const { Box, Text } = $.ui.resolve(e)
    return Box({ flexDirection: 'column', children: (shown?.lines ?? []).map(line => Text({ children: line })) })
  })
}

const title = 'Research council'

/** What the pane shows of a run, '' for one that is still prepared; the end once it has ended. */
type Pane = { run: string; lines: string[]; end?: string }

let shown: Pane | undefined
let closedByPerson = ''
let isLooking = false
let isWanted = false // a look that was asked for while another went on
let expected = 0 // looks still to be made for a run that a command may have begun
let isWatching = false

/** Looks where the session's run is, one look at a time. */
async function look($: EngineInterface): Promise<void> {
  if (isLooking) {
    isWanted = true
    return
  }
  isLooking = true
  try {
    const found = await read($)
    if (found === undefined && (shown?.run ?? '') === '' && expected > 0) {
      expected--
      return
    }
    expected = 0
    const ended = found === undefined || found.end !== undefined
    if (found?.end !== undefined && shown !== undefined) $.ui.toast(found.end, { timeoutMs: 30_000 })
    if (ended) {
      if (shown !== undefined) await $.ui.close({ id: plugin })
      shown = undefined
      inLine($, undefined)
      return
    }
    const isNew = shown?.run !== found.run
    shown = found
    if (isNew && closedByPerson !== found.run) await $.ui.open({ id: plugin, title, rows: found.lines.length + 1 })
    $.ui.invalidate('ui.render')
    const isUndrawn = (await $.ui.panes()).some(pane => pane.id === plugin && !pane.isPlaced)
    inLine($, isUndrawn ? found.lines.join(' · ') : undefined)
  } finally {
    isLooking = false
    if (isWanted) {
      isWanted = false
      void look($)
    }
  }
}

let line: string | undefined

/** Shows the run in a line below the prompt, where the host has no room for its pane. */
function inLine($: EngineInterface, text: string | undefined): void {
  if (text !== line) $.ui.status(text)
  line = text
}

/** Looks every two seconds while a run is shown, or is about to be. Its clock is the session's: one of a turn ends with that. */
function watch($: EngineInterface): void {
  if (isWatching) return
  isWatching = true
  $.clock.every(2000, () => {
    if (!isLooking && (shown !== undefined || expected > 0)) void look($)
  })
}

/** What there is to show; undefined where the session has no run, or it cannot be read. */
async function read($: EngineInterface): Promise<Pane | undefined> {
  const run = (shown?.run ?? '') === '' ? [] : ['--run', shown!.run]
  const argv = [`${$.plugin.root}/bin/council`, 'hook', 'pane', '--root', await $.session.root(), '--session', await $.session.id(), ...run]
  const result = await $.process.run(argv, { timeoutMs: 10_000 }).catch(() => undefined)
  if (result === undefined || result.stdout === '') return undefined
  return JSON.parse(result.stdout) as Pane
}

/** What a command comes to in words; '' where it is to go its usual way. */
async function answer($: EngineInterface, command: string, args: string): Promise<string> {
  const project = await $.session.root()
  const { stdout } = await $.process.run([`${$.plugin.root}/bin/council-hook`, 'answer'], {
    stdin: JSON.stringify({ command_name: command, command_args: args, session_id: await $.session.id(), cwd: project }),
    env: { CLAUDE_PROJECT_DIR: project },
    timeoutMs: 60_000,
  })
  return stdout
}
