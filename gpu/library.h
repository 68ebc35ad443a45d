// A shared library that may be missing: opened when first needed, so that the program starts without it.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace tilewalk::gpu {

class Library {
 public:
  // The first of `names` that can be opened; the toolkit's folder of the build is tried, too.
  explicit Library(std::initializer_list<std::string> names) {
    for (const std::string& name : names) {
      for (const std::string& path : {name, std::string(TILEWALK_CUDA_LIBRARIES "/") + name}) {
        if (!handle_) handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      }
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool open() const { return handle_ != nullptr; }
  // Null when there is no such function.
  template <typename Function>
  Function* find(const char* name) const {
    return handle_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_ = nullptr;  // stays open: the library may have started threads
};

}  // namespace tilewalk::gpu
