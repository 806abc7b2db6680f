# Stands in for Homebrew, as far as our formula asks it: FORMULA DIST SYSTEM CHIP PREFIX.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

formula, DIST, SYSTEM, CHIP, prefix = ARGV
PREFIX = Pathname.new(prefix)

class Pathname
  def install(*files)
    mkpath
    files.flatten.each { |f| FileUtils.mv(f, self) }
  end

  def install_symlink(*files)
    mkpath
    files.flatten.each { |f| FileUtils.ln_s(f, self) }
  end
end

class Formula
  class << self
    attr_reader :at, :digest
    %i[desc homepage license].each { |word| define_method(word) { |text| raise word.to_s if text.empty? } }
    def version(text = nil) = text ? @version = text : @version
    def url(text) = @at = text
    def sha256(text) = @digest = text
    def on_linux = (yield if SYSTEM == "linux")
    def on_macos = (yield if SYSTEM == "macos")
    def on_intel = (yield if CHIP == "intel")
    def on_arm = (yield if CHIP == "arm")
    def test = nil # Homebrew's own, which needs it installed
  end

  def bin = PREFIX/"bin"
  def libexec = PREFIX/"libexec"
  def man1 = PREFIX/"share/man/man1"
  def bash_completion = PREFIX/"etc/bash_completion.d"
  def zsh_completion = PREFIX/"share/zsh/site-functions"
  def fish_completion = PREFIX/"share/fish/vendor_completions.d"
end

load formula
c = ResearchCouncil
archive = File.join(DIST, File.basename(c.at))
raise "not under the version: #{c.at}" unless c.at.include?("/v#{c.version}/")
raise "another digest" unless Digest::SHA256.file(archive).hexdigest == c.digest
Dir.mktmpdir do |dir|
  Dir.chdir(dir) do
    raise "tar" unless system("tar", "-xzf", archive)
    c.new.install
  end
end
