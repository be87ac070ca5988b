// Nothing but a place where the precompiled headers of all GoogleTest programs are made (../CMakeLists.txt).
