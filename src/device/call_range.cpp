#include "scan/call/call_range.hpp"

#if SCAN_WITH_NVTX
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#endif

namespace SCAN_HIDDEN scan {
inline namespace SCAN_ABI {
namespace device {

#if SCAN_WITH_NVTX
namespace {

/// Null where no tool listens.
nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t created = nvtxDomainCreateA("scan");
  return created;
}

/// A text of up to so many bytes; what does not fit is left out.
class message {
 public:
  const char* text() const noexcept { return text_; }
  template <class... Values>
  void add(const char* format, Values... values) noexcept {
    const auto room = static_cast<int>(sizeof(text_)) - length_;
    const int wanted =
        std::snprintf(text_ + length_, static_cast<std::size_t>(room), format, values...);
    if (wanted > 0) length_ += wanted < room ? wanted : room - 1;
  }
  void add(std::string_view part) noexcept {
    add("%.*s", static_cast<int>(part.size()), part.data());
  }

 private:
  char text_[512] = {};
  int length_ = 0;
};

}  // namespace

bool is_profiled() noexcept { return domain() != nullptr; }

void open_range(const char* function, const std::string_view* types, int num_types,
                const call_size& size) noexcept {
  const auto number = [](std::int64_t value) { return static_cast<long long>(value); };
  const bool by_key = size.what == call_size::kind::keys;
  message text;
  text.add("%s%s<", function, by_key ? "_by_key" : "");
  for (int i = 0; i < num_types; ++i) {
    if (i > 0) text.add(", ");
    text.add(types[i]);
  }
  text.add("> ");
  if (size.what == call_size::kind::tensor && (size.outer != 1 || size.inner != 1)) {
    text.add("%lld x %lld x %lld", number(size.outer), number(size.length), number(size.inner));
  } else {
    text.add("n=%lld", number(size.num_items));
  }
  if (size.what == call_size::kind::segments) {
    text.add(", %lld segments", number(size.num_segments));
  }
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text.text();
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = size.num_items;
  static_cast<void>(nvtxDomainRangePushEx(domain(), &attributes));
}

void close_range() noexcept { static_cast<void>(nvtxDomainRangePop(domain())); }
#else
bool is_profiled() noexcept { return false; }
void open_range(const char*, const std::string_view*, int, const call_size&) noexcept {}
void close_range() noexcept {}
#endif

}  // namespace device
}  // namespace SCAN_ABI
}  // namespace scan
