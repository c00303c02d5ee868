#include <string>
#include <utility>

#include "weir/figure/document.h"
#include "weir/figure/thin.h"
#include "weir/report/assets.h"
#include "weir/report/render.h"

#ifdef WEIR_HAS_DUKTAPE
#include <duktape.h>

#include <new>
#include <stdexcept>
#endif

namespace weir::report {

#ifdef WEIR_HAS_DUKTAPE

namespace {

// What ECharts expects of any environment. Nothing is ever due later: a figure is drawn at once.
constexpr char kEnvironment[] =
    "var globalThis = this, global = this, self = this;"
    "var console = { log: function () {}, warn: function () {}, error: function () {} };"
    "function setTimeout() { return 0; }"
    "function clearTimeout() {}";

// More than a column can show, with the extremes of each bin.
constexpr std::size_t kMaxOnPaper = 3'000;

}  // namespace

struct SvgWriter::Engine {
  struct Destroy {
    void operator()(duk_context* heap) const { duk_destroy_heap(heap); }
  };
  std::unique_ptr<duk_context, Destroy> context{duk_create_heap_default()};

  std::runtime_error error() const {
    const std::string message = duk_safe_to_string(context.get(), -1);
    return std::runtime_error("a figure cannot be drawn: " + message);
  }
};

bool available() { return !figure_script().empty() && !page_template().empty(); }

SvgWriter::SvgWriter() : engine_(std::make_unique<Engine>()) {
  require();
  duk_context* duk = engine_->context.get();
  if (duk == nullptr) throw std::bad_alloc();
  for (const std::string_view script : {std::string_view(kEnvironment), figure_script()}) {
    if (duk_peval_lstring(duk, script.data(), script.size()) != 0) throw engine_->error();
    duk_pop(duk);
  }
}

SvgWriter::~SvgWriter() = default;

std::string SvgWriter::svg(Figure figure) {
  thin(figure, kMaxOnPaper);
  const std::string text = to_json(figure, figure::Form::drawn).dump(-1, ' ', false, Json::error_handler_t::replace);
  duk_context* duk = engine_->context.get();
  duk_get_global_string(duk, "weirFigure");
  duk_push_lstring(duk, text.data(), text.size());
  if (duk_pcall(duk, 1) != 0) throw engine_->error();
  duk_size_t size = 0;
  const char* out = duk_get_lstring(duk, -1, &size);
  std::string result(out, size);
  duk_pop(duk);
  return result;
}

#else

struct SvgWriter::Engine {};

bool available() { return false; }

SvgWriter::SvgWriter() { require(); }

SvgWriter::~SvgWriter() = default;

std::string SvgWriter::svg(Figure) { return {}; }

#endif

}  // namespace weir::report
