#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "core.h"
#include "interrupt.h"

namespace ramet::python {
namespace {

nb::object Array(Tensor tensor) { return nb::steal(WrapTensor(std::move(tensor))); }

nb::tuple ReadMnist(const std::string& folder, bool one_hot, nb::handle dtype, bool reshape,
                    int64_t validation_size, std::optional<uint32_t> seed) {
  const MnistOptions options{.one_hot = one_hot,
                             .dtype = ToDType(dtype.ptr()),
                             .reshape = reshape,
                             .validation_size = validation_size,
                             .seed = seed};
  StatusOr<Mnist> mnist = WithoutGil([&] { return Mnist::Read(folder, options); });
  if (!mnist.ok()) RaiseStatus(mnist.status());
  return nb::make_tuple(std::move(mnist->train), std::move(mnist->validation),
                        std::move(mnist->test));
}

}  // namespace

// The GIL keeps the data sets of one Mnist to one thread at a time.
void BindData(nb::module_& m) {
  nb::class_<DataSet>(m, "DataSet")
      .def_prop_ro("num_examples", &DataSet::num_examples)
      .def_prop_ro("epochs_completed", &DataSet::epochs_completed)
      .def("images", [](const DataSet& d) { return Array(d.images()); })
      .def("labels", [](const DataSet& d) { return Array(d.labels()); })
      .def("next_batch", [](DataSet& d, int64_t batch_size, bool shuffle) {
        Batch batch = d.NextBatch(batch_size, shuffle);
        return nb::make_tuple(Array(std::move(batch.images)), Array(std::move(batch.labels)));
      });
  m.def("read_mnist", &ReadMnist, nb::arg("folder"), nb::arg("one_hot"), nb::arg("dtype"),
        nb::arg("reshape"), nb::arg("validation_size"), nb::arg("seed").none());
}

}  // namespace ramet::python
