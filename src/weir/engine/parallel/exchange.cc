#include "weir/engine/parallel/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "weir/engine/parallel/phase_log.h"

namespace weir::engine {
namespace {

constexpr std::size_t kTotals = sizeof(Totals) / sizeof(std::uint64_t);
static_assert(sizeof(Totals) % sizeof(std::uint64_t) == 0);

template <class Value>
void append(std::string& to, const Value* from, std::size_t count) {
  to.append(reinterpret_cast<const char*>(from), count * sizeof(Value));
}

class Reader {
 public:
  explicit Reader(std::string_view message) : left_(message) {}
  template <class Value>
  void read(Value* to, std::size_t count) {
    const std::string_view bytes = take(count * sizeof(Value));
    if (count > 0) std::memcpy(static_cast<void*>(to), bytes.data(), bytes.size());
  }
  template <class Value>
  void append_to(std::vector<Value>& out, std::size_t count) {
    const std::size_t before = out.size();
    out.resize(before + count);
    read(out.data() + before, count);
  }
  std::string_view take(std::size_t size) {
    if (size > left_.size()) throw std::logic_error("mail of another rank ends too early");
    const std::string_view out = left_.substr(0, size);
    left_.remove_prefix(size);
    return out;
  }

 private:
  std::string_view left_;
};

}  // namespace

void Totals::add(const Totals& o) {
  failed += o.failed;
  pending += o.pending;
  watching += o.watching;
  tasks_done += o.tasks_done;
  counters.add(o.counters);
}

Exchange::Exchange(Ranks& ranks, std::uint32_t partitions)
    : ranks_(ranks), rank_of_(partitions), out_(ranks.size()), in_(ranks.size()) {
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const Share share = share_of(r, ranks.size(), partitions);
    for (std::uint32_t i = share.first; i < share.end; ++i) rank_of_[i] = r;
  }
  own_words_.resize(kTotals + ranks.size());
  all_words_.resize(own_words_.size() * ranks.size());
}

Totals Exchange::sum(const Totals& own) { return tell(own); }

// Gathers words of each rank: its totals, and the lengths of its messages to all ranks. Returns the sum of the totals.
Totals Exchange::tell(const Totals& own) {
  std::memcpy(own_words_.data(), &own, sizeof(own));
  for (std::size_t r = 0; r < out_.size(); ++r) own_words_[kTotals + r] = out_[r].bytes.size();
  ranks_.all_gather(own_words_, all_words_);
  Totals sum;
  for (std::size_t r = 0; r < out_.size(); ++r) {
    Totals of_rank;
    const std::uint64_t* const words = all_words_.data() + r * own_words_.size();
    std::memcpy(static_cast<void*>(&of_rank), words, sizeof(of_rank));
    sum.add(of_rank);
    in_[r].resize(words[kTotals + ranks_.rank()]);
  }
  return sum;
}

void Exchange::post(std::uint32_t from, std::uint32_t to, Mailbox& box) {
  if (box.empty()) return;
  Outgoing& out = out_[rank_of_[to]];
  const Head head{.from = from,
                  .to = to,
                  .packets = box.packets.count(),
                  .expected = static_cast<std::uint32_t>(box.expected.size()),
                  .notices = static_cast<std::uint32_t>(box.notices.size()),
                  .packet_bytes = box.packets.bytes().size()};
  out.heads.push_back(head);
  if (out.bytes.empty()) {
    box.packets.swap_bytes(out.bytes);
    out.lender = &box;
    out.lent = head.packet_bytes;
  } else {
    out.bytes += box.packets.bytes();
  }
  append(out.bytes, box.expected.data(), box.expected.size());
  append(out.bytes, box.notices.data(), box.notices.size());
  counts_.packets += head.packets;
  counts_.packet_bytes += head.packet_bytes;
}

void Exchange::post(const std::vector<host::FlowRecord>& finished) {
  if (finished.empty()) return;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    if (r == ranks_.rank()) continue;
    out_[r].heads.push_back({.flows = static_cast<std::uint32_t>(finished.size())});
    append(out_[r].bytes, finished.data(), finished.size());
  }
}

Totals Exchange::run(const Totals& own, std::string_view failure, const Deliver& deliver,
                     std::vector<host::FlowRecord>& finished) {
  for (Outgoing& out : out_) {
    if (out.heads.empty()) continue;
    append(out.bytes, out.heads.data(), out.heads.size());
    const std::uint64_t heads = out.heads.size();
    append(out.bytes, &heads, 1);
  }
  const std::int64_t begin = passing_ns();
  const Totals sum = tell(own);
  if (sum.failed > 0) {
    const std::vector<std::string> all = gather(ranks_, failure);
    for (std::size_t r = 0; r < all.size(); ++r)
      if (!all[r].empty()) throw RankFailure(fmt::format("rank {} of {}: {}", r, all.size(), all[r]));
    throw RankFailure("a rank has failed and does not say why");
  }
  std::vector<std::string_view> messages;
  for (const Outgoing& out : out_) messages.emplace_back(out.bytes);
  ranks_.all_to_all(messages, in_);
  counts_.wait_ns += passing_ns() - begin;
  ++counts_.epochs;
  for (Outgoing& out : out_) {
    counts_.bytes += out.bytes.size();
    out.heads.clear();
    if (out.lender != nullptr) {
      out.bytes.resize(out.lent);
      out.lender->packets.swap_bytes(out.bytes);
      out.lender = nullptr;
    }
    out.bytes.clear();
  }
  for (std::size_t r = 0; r < in_.size(); ++r)
    if (r != ranks_.rank() && !in_[r].empty()) take(in_[r], deliver, finished);
  return sum;
}

void Exchange::add_others(std::vector<net::TraceRecords>& recorded) {
  Saver own;
  own.each(recorded, [&](net::TraceRecords& records) { records.archive(own); });
  const std::vector<std::string> all = gather(ranks_, own.content());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (r == ranks_.rank()) continue;
    std::vector<net::TraceRecords> others;
    Loader of_rank(all[r]);
    of_rank.each(others, [&](net::TraceRecords& records) { records.archive(of_rank); });
    std::move(others.begin(), others.end(), std::back_inserter(recorded));
  }
}

void Exchange::gather_into(Saver& a, std::string_view own, bool everywhere) {
  for (const std::string& bytes : everywhere ? gather(ranks_, own) : gather_at_first(ranks_, own))
    a.bytes(bytes.data(), bytes.size());
}

std::string Exchange::reason(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of an unknown kind";
  }
}

void Exchange::take(std::string& message, const Deliver& deliver, std::vector<host::FlowRecord>& finished) const {
  const std::string_view all = message;
  std::uint64_t count = 0;
  Reader(all.substr(all.size() - sizeof(count))).read(&count, 1);
  const std::size_t heads_size = count * sizeof(Head);
  std::vector<Head> heads;
  Reader(all.substr(all.size() - sizeof(count) - heads_size)).append_to(heads, count);
  Reader reader(all);
  PackedPackets* first = nullptr;  // whose bytes the message begins with
  for (const Head& head : heads) {
    if (head.flows > 0) {
      reader.append_to(finished, head.flows);
      continue;
    }
    Mailbox& box = deliver(head.from, head.to);
    const std::string_view packets = reader.take(head.packet_bytes);
    if (&head == &heads.front())
      first = &box.packets;
    else
      box.packets.assign(head.packets, packets);
    reader.append_to(box.expected, head.expected);
    reader.append_to(box.notices, head.notices);
  }
  if (first != nullptr) first->adopt(heads.front().packets, heads.front().packet_bytes, message);
}

}  // namespace weir::engine
