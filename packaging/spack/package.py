# The recipe for Spack 1.0 or newer. `make dist` puts the version and the tarball's sum in place of the words between
# at-signs and writes it to build/dist/spack_repo; packaging/README.md says how to use it.
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Weft(CMakePackage):
    """One-sided communication runtime (PGAS) with teams and collectives, a UPC compiler, distributed FFT and linear
    algebra."""

    # The tarball is looked for in the folder in which spack runs.
    manual_download = True
    url = f"file://{os.getcwd()}/weft-@VERSION@.tar.gz"

    license("BSD-3-Clause")

    version("@VERSION@", sha256="@SHA256@")

    variant("upc", default=True, description="Build the UPC compiler")
    variant("ofi", default=True, description="Communicate through libfabric (InfiniBand, Slingshot, ...)")
    variant("ip", default=True, description="Communicate through TCP")
    variant("pmix", default=True, description="Be started by launchers that speak PMIx")
    variant("sim", default=True, description="Simulate jobs of many hosts")
    variant("mpi", default=False, description="Communicate through MPI (Open MPI or MPICH)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    # Not any fftw-api@3: MKL and others have no fftw3.pc.
    depends_on("fftw@3 precision=double")
    depends_on("blas")
    depends_on("lapack")
    depends_on("libfabric@1.17:", when="+ofi")
    depends_on("openssl@3:", when="+ip")
    depends_on("pmix@4:", when="+pmix")
    depends_on("boost+context", when="+sim")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    requires("platform=linux", msg="Weft needs Linux")
    requires("^openmpi", "^mpich", policy="any_of", when="+mpi", msg="Weft knows Open MPI and MPICH")
    conflicts("%gcc@:11", msg="Weft needs gcc 12 or newer")
    conflicts("%clang@:13", msg="Weft needs clang 14 or newer")

    def cmake_args(self):
        def folder(dependency, variant):
            """A folder of headers; an empty one keeps CMake from finding the system's."""
            return self.spec[dependency].prefix.include if self.spec.satisfies(f"+{variant}") else ""

        return [
            self.define("BUILD_TESTING", False),
            self.define("WEFT_BUILD_APPS", False),
            self.define("WEFT_WARNINGS_ARE_ERRORS", False),
            self.define_from_variant("WEFT_BUILD_UPCC", "upc"),
            self.define("WEFT_BLAS_LIBRARY", self.spec["blas"].libs.joined(";")),
            self.define("WEFT_LAPACK_LIBRARY", self.spec["lapack"].libs.joined(";")),
            self.define("WEFT_FABRIC_INCLUDE", folder("libfabric", "ofi")),
            self.define("WEFT_OPENSSL_INCLUDE", folder("openssl", "ip")),
            self.define("WEFT_PMIX_INCLUDE", folder("pmix", "pmix")),
            self.define("WEFT_BOOST_INCLUDE", folder("boost", "sim")),
        ]

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        # Weft opens these libraries while a program runs, so nothing that is linked tells where they lie.
        for dependency in ("libfabric", "openssl", "pmix"):
            if dependency in self.spec:
                for directory in self.spec[dependency].libs.directories:
                    env.prepend_path("LD_LIBRARY_PATH", directory)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        """A job of two ranks starts and ends."""
        Executable(self.prefix.bin.weftrun)("-n", "2", self.prefix.bin.join("weft-info"))
