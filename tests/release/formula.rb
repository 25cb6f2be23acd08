# Installs a formula as Homebrew does, from an archive that is here, into a directory, and runs its test there; and checks
# what `brew audit` asks of its fields.
# usage: ruby tests/release/formula.rb FORMULA ARCHIVE DIRECTORY

require "digest"
require "fileutils"
require "open3"
require "pathname"

# The part of Homebrew's class that formulae of one archive use.
class Formula
  FIELDS = [:desc, :homepage, :url, :sha256, :license].freeze
  class << self
    attr_reader :given, :trial

    FIELDS.each { |field| define_method(field) { |value| (@given ||= {})[field] = value } }

    def test(&block)
      @trial = block
    end
  end

  attr_reader :prefix

  def initialize(prefix)
    @prefix = Pathname.new(prefix)
  end

  def bin
    prefix/"bin"
  end

  def include
    prefix/"include"
  end

  def pkgshare
    folder = prefix/"share/graphsplit"
    folder.define_singleton_method(:install) { |*files| FileUtils.mkdir_p(self) && FileUtils.cp(files, self) }
    folder
  end

  def system(*words)
    Kernel.system(*words.map(&:to_s)) || raise("#{words.join(" ")} fails")
  end

  def shell_output(command)
    output, status = Open3.capture2(command)
    status.success? ? output : raise("#{command} fails")
  end

  def assert_match(pattern, text)
    text.match?(pattern) || raise("no #{pattern} in #{text}")
  end
end

def (ENV).cc
  fetch("CC", "cc")
end

file, archive, directory = ARGV.map { |path| File.expand_path(path) }
load file
given = Graphsplit.given
raise "fields are missing" unless (Formula::FIELDS - given.keys).empty?
raise "desc: at most 80 characters, no article, no full stop" if given[:desc].match?(/\A(A|An|The) |\.\z|.{81}|\A[a-z]/)
raise "homepage and url: https" unless [given[:homepage], given[:url]].all? { |address| address.start_with?("https://") }
raise "url: ends with the name of the archive" unless File.basename(given[:url]) == File.basename(archive)
raise "sha256: of another archive" unless given[:sha256] == Digest::SHA256.file(archive).hexdigest

FileUtils.mkdir_p(["#{directory}/source", "#{directory}/test"])
Kernel.system("tar", "-xzf", archive, "-C", "#{directory}/source", "--strip-components=1") || raise("the archive is damaged")
formula = Graphsplit.new("#{directory}/prefix")
Dir.chdir("#{directory}/source") { formula.install }
Dir.chdir("#{directory}/test") { formula.instance_eval(&Graphsplit.trial) }
