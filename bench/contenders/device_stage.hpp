// Where the contenders of a cell meet on the GPU.
#ifndef SCAN_BENCH_CONTENDERS_DEVICE_STAGE_HPP
#define SCAN_BENCH_CONTENDERS_DEVICE_STAGE_HPP

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "bench/cells/cells.hpp"
#include "bench/data/device_data.hpp"
#include "bench/data/host_data.hpp"
#include "bench/ladders/ladders.hpp"
#include "bench/measure/call_graph.hpp"
#include "bench/measure/rounds.hpp"

namespace bench {

static_assert(all_right == -1);

/// What many sequences' slots are filled with and judged by, as device_data.hpp does it of one.
struct slot_data {
  std::function<cudaError_t(std::byte* in, cudaStream_t stream)> fill;
  std::function<cudaError_t(const std::byte* out, unsigned long long* first_wrong,
                            cudaStream_t stream)>
      check;
};

/// What all contenders of a cell share: inputs and outputs, and the judge of them.
struct device_stage {
  cell what;
  const dataset* file;  // null: elements made up on the device
  slot_data data;       // empty: of one sequence
  gpu_pool pool;
  device_buffer first_wrong_found{sizeof(unsigned long long)};

  device_stage(const cell& what, const std::shared_ptr<const gpu_memory>& memory,
               const dataset* file, slot_data data = {})
      : what(what), file(file), data(std::move(data)), pool(what.slot_bytes(), what.warm, memory) {
    for (int slot = 0; slot < pool.num_slots(); ++slot) fill(pool.in(slot));
    pool.wait("writing the input");
  }

  std::int64_t in_offset() const { return what.in_offset * what.in_bytes(); }
  std::int64_t out_offset() const { return what.out_offset * what.out_bytes(); }

  void fill(std::byte* slot) const {
    if (data.fill) return check_cuda(data.fill(slot, pool.stream()), "writing the input");
    const cudaError_t code =
        file == nullptr
            ? fill_input(what.scan, slot + in_offset(), what.num_items, pool.stream())
            : cudaMemcpyAsync(slot, slot == pool.in(0) ? file->elements.data() : pool.in(0),
                              static_cast<std::size_t>(file->elements.num_bytes()),
                              cudaMemcpyDefault, pool.stream());
    check_cuda(code, "writing the input");
  }

  /// Looks at all outputs: `check(in, out, found)` enqueues the check of a slot.
  std::int64_t check_slots(const auto& check) const {
    auto* const found = reinterpret_cast<unsigned long long*>(first_wrong_found.data());
    check_cuda(cudaMemsetAsync(found, 0xff, sizeof(*found), pool.stream()), "checking an output");
    for (int slot = 0; slot < pool.num_slots(); ++slot) {
      check_cuda(check(pool.in(slot), pool.out(slot), found), "checking an output");
    }
    std::int64_t index = 0;  // ~0, which no check has lowered, is all_right
    check_cuda(cudaMemcpyAsync(&index, found, sizeof(index), cudaMemcpyDeviceToHost, pool.stream()),
               "checking an output");
    pool.wait("checking an output");
    return index;
  }

  std::int64_t check_scans() const {
    if (data.check) {
      return check_slots([&](const std::byte*, const std::byte* out, unsigned long long* found) {
        return data.check(out, found, pool.stream());
      });
    }
    if (file != nullptr) return check_scans_of_file();
    return check_slots([&](const std::byte*, const std::byte* out, unsigned long long* found) {
      return check_output(what.scan, out + out_offset(), what.num_items, what.exclusive, found,
                          pool.stream());
    });
  }

  /// On the host. All slots have the same input, so an output with the bits of a right one is
  /// right; but sums of floats may differ between calls where an algorithm (CUB) leaves their order
  /// open, so others go to the judge, too.
  std::int64_t check_scans_of_file() const {
    const std::int64_t num_bytes = file->elements.num_bytes();
    const host_buffer right(num_bytes), output(num_bytes);
    for (int slot = 0; slot < pool.num_slots(); ++slot) {
      const host_buffer& to = slot == 0 ? right : output;
      check_cuda(cudaMemcpyAsync(to.data(), pool.out(slot), static_cast<std::size_t>(num_bytes),
                                 cudaMemcpyDefault, pool.stream()),
                 "copying an output to the host");
      pool.wait("copying an output to the host");
      const bool same = slot > 0 && std::memcmp(right.data(), output.data(),
                                                static_cast<std::size_t>(num_bytes)) == 0;
      const std::int64_t wrong = same ? all_right : first_wrong(what, *file, to.data());
      if (wrong != all_right) return wrong;
    }
    return all_right;
  }

  std::int64_t check_block_scans() const {
    return check_slots([&](const std::byte* in, const std::byte* out, unsigned long long* found) {
      return check_slices(in, out, what.num_items, found, pool.stream());
    });
  }

  std::int64_t check_copies() const {
    return check_slots([&](const std::byte* in, const std::byte* out, unsigned long long* found) {
      return check_copy(in, out, what.bytes_per_side(), found, pool.stream());
    });
  }
};

using shared_stage = std::shared_ptr<const device_stage>;

/// All contenders of a cell whose rivals are a chain: calls launched one by one in a stream.
std::vector<contender> chain_contenders(const shared_stage& on);
/// Of segments the library, CUB's ways and Thrust's, and the copies.
std::vector<contender> segment_contenders(const cell& what,
                                          const std::shared_ptr<const gpu_memory>& memory);
/// Of compactions the library, every CUB, the copies, and what waits for the host: Thrust's, and
/// the library's call and a wait.
std::vector<contender> select_contenders(const cell& what,
                                         const std::shared_ptr<const gpu_memory>& memory);
/// The fastest kernel, and CUDA's own.
void add_copies(std::vector<contender>& all, const shared_stage& on);

/// Looks at the outputs: index of the first wrong element, or `all_right`.
using slots_check = std::function<std::int64_t(const device_stage&)>;

/// Verified as it is timed, as a whole: the graph's outputs.
contender in_graph(const shared_stage& on, std::string name, enqueue_call enqueue,
                   const slots_check& check);
/// Launched one by one in a stream.
contender in_stream(const shared_stage& on, std::string name, const enqueue_call& enqueue,
                    const slots_check& check);

}  // namespace bench

#endif
