# Copy it to repos/NAME/packages/boids/package.py. The URL and the checksum of the release are to be filled in.
#
# Checked: Python accepts it. Not tried: spack install.
from spack.package import *


class Boids(MakefilePackage):
    """Simulator of flocks in two dimensions."""

    url = "https://example.org/boids-1.0.0.tar.gz"
    license("MIT")

    version("1.0.0", sha256="0" * 64)

    variant("hdf5", default=True, description="Read and write HDF5 files")
    variant("mpi", default=False, description="Also build boids-mpi")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cjson")
    depends_on("hdf5", when="+hdf5")
    depends_on("zlib-api", when="+hdf5")
    depends_on("mpi", when="+mpi")

    def build(self, spec, prefix):
        self.install(spec, prefix)

    def install(self, spec, prefix):
        words = ["install", f"PREFIX={prefix}", "STATIC_HDF5=no"]
        if "~hdf5" in spec:
            words.append("HDF5=no")
        make(*words)
        if "+mpi" in spec:
            make(*words, "MPI=1")
