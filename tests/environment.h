// An environment variable for the length of a scope.
#pragma once

#include <cstdlib>
#include <string>

namespace headlight {

class SetVariable {
 public:
  SetVariable(const char* name, const std::string& value) : name_(name) {
#ifdef _WIN32
    _putenv_s(name_, value.c_str());
#else
    setenv(name_, value.c_str(), 1);
#endif
  }
  ~SetVariable() {
#ifdef _WIN32
    _putenv_s(name_, "");
#else
    unsetenv(name_);
#endif
  }
  SetVariable(const SetVariable&) = delete;
  SetVariable& operator=(const SetVariable&) = delete;

 private:
  const char* name_;
};

}  // namespace headlight
