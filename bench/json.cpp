#include <nlohmann/json.hpp>
#include <ostream>

#include "bench/environment.hpp"
#include "bench/report.hpp"

namespace bench {
namespace {

nlohmann::json row(const size_report& size, const measurement& m) {
  nlohmann::json row = {{"input", size.input},      {"n", size.num_items},
                        {"bytes", size.num_bytes},  {"algorithm", m.name},
                        {"verified", m.verified()}, {"median_us", nullptr},
                        {"q1_us", nullptr},         {"q3_us", nullptr},
                        {"gb_per_s", nullptr},      {"share_of_copy", nullptr}};
  if (!m.verified()) {
    row["first_wrong"] = m.first_wrong;
    return row;
  }
  row["median_us"] = m.median_us;
  row["q1_us"] = m.q1_us;
  row["q3_us"] = m.q3_us;
  row["gb_per_s"] = gb_per_second(size, m);
  if (const double share = share_of_copy(size, m); share > 0) row["share_of_copy"] = share;
  return row;
}

}  // namespace

void write_json(std::ostream& to, const run_report& run) {
  nlohmann::json json = environment();
  json.update({{"type", run.what.type_name()},
               {"operator", run.what.operator_name()},
               {"kind", run.what.kind_name()},
               {"device", run.on_gpu() ? "gpu" : "cpu"},
               {"gpu", nullptr},
               {"threads", run.num_threads},
               {"rounds", run.num_rounds},
               {"rows", nlohmann::json::array()}});
  if (run.on_gpu()) json["gpu"] = run.gpu;
  for (const size_report& size : run.sizes) {
    for (const measurement& m : size.measurements) json["rows"].push_back(row(size, m));
  }
  to << json.dump(2) << '\n';
}

}  // namespace bench
