#include "hosts/clock/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hosts/clock/line.h"

namespace weir::hosts::clock {
namespace {

// Symmetric and positive definite: the Laplacian of the hosts that are connected with host 0, without host 0.
class Laplacian {
 public:
  explicit Laplacian(std::size_t size) : size_(size), a_(size * size) {}

  double& at(std::size_t i, std::size_t j) { return a_[i * size_ + j]; }

  // Cholesky: the matrix becomes its left factor.
  void factor() {
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t k = 0; k < j; ++k) at(j, j) -= at(j, k) * at(j, k);
      at(j, j) = std::sqrt(std::max(at(j, j), std::numeric_limits<double>::min()));
      for (std::size_t i = j + 1; i < size_; ++i) {
        for (std::size_t k = 0; k < j; ++k) at(i, j) -= at(i, k) * at(j, k);
        at(i, j) /= at(j, j);
      }
    }
  }

  void solve(std::vector<double>& x) {
    forward(x, 0);
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) x[i] -= at(k, i) * x[k];
      x[i] /= at(i, i);
    }
  }

  // Column i of the inverse: the potentials of hosts if a current of 1 flows from host i to host 0.
  std::vector<double> inverse(std::size_t i) {
    std::vector<double> unit(size_);
    unit[i] = 1;
    solve(unit);
    return unit;
  }

 private:
  void forward(std::vector<double>& x, std::size_t first) {
    for (std::size_t i = first; i < size_; ++i) {
      for (std::size_t k = first; k < i; ++k) x[i] -= at(i, k) * x[k];
      x[i] /= at(i, i);
    }
  }

  std::size_t size_;
  std::vector<double> a_;
};

// An edge's disagreement with the first guess of its ends, and what it is good for.
struct Measured {
  std::size_t from = 0;
  std::size_t to = 0;
  double surplus = 0;
  double error = 1;
  double bias = 0;
};

struct Corrections {
  std::vector<double> values;  // by host
  std::vector<double> errors;
  std::vector<double> biases;  // of the errors
  double spread = 0;           // of an edge, as the loops tell it
  double scale = 1;
};

// How far edges are from what the corrections say of them, which loops alone can tell.
void judge_by_loops(Corrections& out, std::span<const Measured> edges, std::size_t rows) {
  if (edges.size() <= rows) return;
  double squares = 0;
  double weighted = 0;
  for (const Measured& e : edges) {
    const double rest = e.surplus - (out.values[e.to] - out.values[e.from]);
    squares += rest * rest;
    weighted += rest * rest / (e.error * e.error);
  }
  const auto loops = static_cast<double>(edges.size() - rows);
  out.spread = std::sqrt(squares / loops);
  out.scale = std::max(1.0, std::sqrt(weighted / loops));
}

Corrections least_squares(std::size_t hosts, std::span<const Measured> edges, const std::vector<bool>& known) {
  // host -> row; host 0 has none
  std::vector<std::size_t> row(hosts);
  std::size_t rows = 0;
  for (std::size_t i = 1; i < hosts; ++i) {
    if (known[i]) row[i] = rows++;
  }
  Laplacian matrix(rows);
  std::vector<double> x(rows);
  for (const Measured& e : edges) {
    const double weight = 1 / (e.error * e.error);
    if (e.from != 0) {
      matrix.at(row[e.from], row[e.from]) += weight;
      x[row[e.from]] -= weight * e.surplus;
    }
    if (e.to != 0) {
      matrix.at(row[e.to], row[e.to]) += weight;
      x[row[e.to]] += weight * e.surplus;
    }
    if (e.from != 0 && e.to != 0) {
      matrix.at(row[e.from], row[e.to]) -= weight;
      matrix.at(row[e.to], row[e.from]) -= weight;
    }
  }
  matrix.factor();
  matrix.solve(x);

  Corrections out{std::vector<double>(hosts), std::vector<double>(hosts), std::vector<double>(hosts), 0, 1};
  for (std::size_t i = 1; i < hosts; ++i) {
    if (known[i]) out.values[i] = x[row[i]];
  }
  judge_by_loops(out, edges, rows);
  // A host's correction is the sum of the edges' surplus, each times the current through it. Errors that are
  // independent of each other add up by their squares, those that are not as they are.
  for (std::size_t i = 1; i < hosts; ++i) {
    if (!known[i]) continue;
    const std::vector<double> potential = matrix.inverse(row[i]);
    double squares = 0;
    double bias = 0;
    for (const Measured& e : edges) {
      const double across = (e.to == 0 ? 0 : potential[row[e.to]]) - (e.from == 0 ? 0 : potential[row[e.from]]);
      const double share = std::abs(across) / (e.error * e.error);
      const double independent = share * (e.error - e.bias);
      squares += independent * independent;
      bias += share * e.bias;
    }
    out.errors[i] = out.scale * std::sqrt(squares) + bias;
    out.biases[i] = bias;
  }
  return out;
}

// A first guess: each host by the path from host 0 whose errors are smallest.
void guess(Solution& s, std::span<const GraphEdge> edges) {
  std::vector<double> distance(s.nodes.size(), std::numeric_limits<double>::infinity());
  std::vector<bool> done(s.nodes.size());
  distance[0] = 0;
  s.nodes[0].known = true;
  while (true) {
    std::size_t next = s.nodes.size();
    for (std::size_t i = 0; i < s.nodes.size(); ++i) {
      if (!done[i] && s.nodes[i].known && (next == s.nodes.size() || distance[i] < distance[next])) next = i;
    }
    if (next == s.nodes.size()) return;
    done[next] = true;
    const Estimate near = s.nodes[next].estimate;
    const std::int64_t t = sum(s.at, near.offset);  // its time
    for (const GraphEdge& e : edges) {
      if (e.from != next && e.to != next) continue;
      const std::size_t other = e.from == next ? e.to : e.from;
      const double far = distance[next] + e.measured.error * e.measured.error;
      if (done[other] || far >= distance[other]) continue;
      distance[other] = far;
      GraphNode& node = s.nodes[other];
      node.known = true;
      const double drift = e.measured.drift;
      if (e.from == next) {
        node.estimate.offset = sum(near.offset, sum(e.measured.offset, std::llround(e.measured.drifted_to(t))));
        node.estimate.drift = near.drift + drift * (1 + near.drift);
      } else {
        // the other's time x for which x + offset at x is t
        const std::int64_t start = sum(t, -e.measured.offset);
        std::int64_t x = start;
        for (int i = 0; i < 7; ++i) x = sum(start, -std::llround(e.measured.drifted_to(x)));
        node.estimate.offset = sum(x, -s.at);
        node.estimate.drift = (near.drift - drift) / (1 + drift);
      }
    }
  }
}

// The disagreement of edges with the guess at host 0's time `t`.
std::vector<Measured> disagreement(const Solution& s, std::span<const GraphEdge> edges, std::int64_t t) {
  std::vector<Measured> out;
  for (const GraphEdge& e : edges) {
    if (!s.nodes[e.from].known || e.from == e.to) continue;
    const Estimate& from = s.nodes[e.from].estimate;
    const Estimate& to = s.nodes[e.to].estimate;
    const double span = static_cast<double>(t - s.at);
    // from's time; what is large is subtracted in whole numbers
    const std::int64_t x = sum(t, sum(from.offset, std::llround(from.drift * span)));
    const auto rest = static_cast<double>(sum(e.measured.offset, -sum(to.offset, -from.offset)));
    const double surplus = rest + e.measured.drifted_to(x) - (to.drift - from.drift) * span;
    // its share in the error stays the same
    const double error = e.measured.error_at(x);
    out.push_back({e.from, e.to, surplus, error, error * e.measured.bias / e.measured.error});
  }
  return out;
}

}  // namespace

Solution reconcile(std::size_t hosts, std::span<const GraphEdge> edges, std::int64_t at) {
  Solution s;
  s.at = at;
  s.nodes.resize(hosts);
  if (hosts == 0) return s;
  guess(s, edges);

  std::vector<bool> known(hosts);
  for (std::size_t i = 0; i < hosts; ++i) known[i] = s.nodes[i].known;
  const std::vector<Measured> first = disagreement(s, edges, at);
  const Corrections now = least_squares(hosts, first, known);
  const Corrections later = least_squares(hosts, disagreement(s, edges, at + kForesight), known);
  for (std::size_t i = 0; i < hosts; ++i) {
    Estimate& node = s.nodes[i].estimate;
    node.at = at;
    if (i == 0 || !known[i]) continue;
    node.offset = sum(node.offset, std::llround(now.values[i]));
    node.drift += (later.values[i] - now.values[i]) / static_cast<double>(kForesight);
    node.error = now.errors[i];
    node.bias = now.biases[i];
    node.growth = std::max(0.0, later.errors[i] - now.errors[i]) / static_cast<double>(kForesight);
  }
  const auto connected = static_cast<std::size_t>(std::count(known.begin(), known.end(), true));
  s.loops = first.size() + 1 - connected;
  s.surplus = now.spread;
  s.scale = now.scale;
  return s;
}

}  // namespace weir::hosts::clock
