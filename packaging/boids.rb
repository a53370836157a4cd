# Formula of Homebrew. The URL and the checksum of the release are to be filled in.
#
# Checked: ruby -c accepts it. Not tried: brew install, and macOS at all.
class Boids < Formula
  desc "Simulator of flocks in two dimensions"
  homepage "https://example.org/boids"
  url "https://example.org/boids-1.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "cjson"
  depends_on "hdf5"

  def install
    system "make", "install", "PREFIX=#{prefix}", "STATIC_HDF5=no", "CC=#{ENV.cc}"
  end

  test do
    system bin/"boids", "--config", "adams", "--steps", "3", "--output", "none"
  end
end
