// A profiler as nvtx_test.cpp wants it: NVTX loads it, by NVTX_INJECTION64_PATH, and it writes down
// which ranges are opened and closed.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <string>

namespace {

std::string seen;
int domain_of_scan = 0;

nvtxDomainHandle_t create_domain(const char* name) {
  const bool is_ours = std::string(name) == "scan";
  return is_ours ? reinterpret_cast<nvtxDomainHandle_t>(&domain_of_scan) : nullptr;
}
int open_range(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* about) {
  if (domain != reinterpret_cast<nvtxDomainHandle_t>(&domain_of_scan)) return 0;
  seen += "open ";
  seen += about->messageType == NVTX_MESSAGE_TYPE_ASCII ? about->message.ascii : "no message";
  seen += about->payloadType == NVTX_PAYLOAD_TYPE_INT64
              ? " payload " + std::to_string(about->payload.llValue)
              : " no payload";
  seen += "\n";
  return 0;
}
int close_range(nvtxDomainHandle_t domain) {
  if (domain == reinterpret_cast<nvtxDomainHandle_t>(&domain_of_scan)) seen += "close\n";
  return 0;
}

}  // namespace

extern "C" {

/// What has been seen since it was last asked for.
__attribute__((visibility("default"))) const char* take_ranges() {
  static std::string taken;
  taken.swap(seen);
  seen.clear();
  return taken.c_str();
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &size) == 0 ||
      size <= NVTX_CBID_CORE2_DomainCreateA) {
    return 0;
  }
  *functions[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create_domain);
  *functions[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(open_range);
  *functions[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(close_range);
  return 1;
}

}  // extern "C"
