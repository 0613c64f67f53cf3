# Ids from Ruby's Random, a Mersenne Twister: ruby ruby.rb FORM COUNT
require "securerandom"

def version4(bytes)
  bytes[6] = bytes[6] & 0x0f | 0x40
  bytes[8] = bytes[8] & 0x3f | 0x80
  bytes.map { |byte| format("%02x", byte) }.join.sub(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '\1-\2-\3-\4-\5')
end

def fill
  "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".gsub(/[xy]/) { |c| (c == "x" ? yield : yield & 3 | 8).to_s(16) }
end

FORMS = {
  "secure" => -> { SecureRandom.uuid },
  "random-bytes" => -> { version4(Random.bytes(16).bytes) },
  "rand-16" => -> { fill { rand(16) } },
  "rand-256" => -> { version4(Array.new(16) { rand(256) }) },
  "sample" => -> { fill { [*0..15].sample } },
}

if ARGV[0] == "seed-seconds"
  srand(Time.now.to_i)
  FORMS["seed-seconds"] = FORMS["rand-16"]
end

ARGV[1].to_i.times { puts FORMS[ARGV[0]].call }
