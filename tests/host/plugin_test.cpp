// A plugin with the library inside is unloaded while its threads look for work and while they
// sleep.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace {

int wrong(const char* what) {
  std::fprintf(stderr, "wrong: %s\n", what);
  return 1;
}

int load_and_unload(const char* path) {
  for (int round = 0; round < 20; ++round) {
    void* const plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return wrong(dlerror());
    const auto scans = reinterpret_cast<int (*)(int)>(dlsym(plugin, "scans"));
    if (scans == nullptr || scans(4) != 1) return wrong("a scan of the plugin");
    if (dlclose(plugin) != 0) return wrong(dlerror());
    if (round % 4 == 0) usleep(5000);  // long enough to fall asleep
  }
  return 0;
}

}  // namespace

/// `plugin_test MODULE`
int main(int argc, char** argv) {
  if (argc != 2) return wrong("which module?");
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    return load_and_unload(argv[1]);
  }
  int how = 0;
  if (waitpid(child, &how, 0) != child) return wrong("waitpid");
  if (WIFSIGNALED(how)) std::fprintf(stderr, "signal %d\n", WTERMSIG(how));
  return WIFEXITED(how) && WEXITSTATUS(how) == 0 ? 0 : wrong("the child");
}
