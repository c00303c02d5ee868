// Where the nodes of a network stand in its picture (network_picture.h): tiers in rows, the highest first, hosts last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weir/net/model/topology.h"

namespace weir::app {

// Lengths in pixels.
inline constexpr double kLetter = 7;
inline constexpr double kBox = 22;  // height of a box

// A node, or several that are drawn as one.
struct NetworkBox {
  std::vector<std::uint32_t> nodes;
  std::string label;
  bool several = false;
  std::string server = {};  // the name of its server, or of the servers that it stands for; "" = it is of none
  double x = 0;             // of the middle
  double y = 0;
  double width() const {
    return kLetter * static_cast<double>(several ? std::max(label.size(), server.size()) : label.size()) + 12;
  }
};

class NetworkBoxes {
 public:
  explicit NetworkBoxes(const net::Topology& topology);

  const std::vector<std::vector<std::size_t>>& rows() const { return rows_; }  // of boxes
  const std::vector<NetworkBox>& all() const { return boxes_; }
  const NetworkBox& operator[](std::size_t box) const { return boxes_[box]; }
  std::size_t of_node(std::uint32_t node) const { return box_of_node_[node]; }
  bool has_servers() const { return t_.hosts_per_server > 1; }

  // Sets where boxes stand, in a picture that is no narrower than this. Returns how wide it is.
  double space_out(double least_width);
  // The middle of a row. Lines between nodes of the highest one need room above it.
  double row_y(std::size_t row) const;
  // How high a line between two boxes of a row bows over those that stand between them.
  double bow(std::size_t from, std::size_t to) const;

 private:
  void place_switches();
  void place_hosts();
  void place_servers();
  void measure_bows();
  void add(std::vector<std::size_t>& row, NetworkBox box);
  double gap_before(const std::vector<std::size_t>& row, std::size_t place) const;

  const net::Topology& t_;
  std::vector<std::vector<std::size_t>> rows_;
  std::vector<NetworkBox> boxes_;
  std::vector<double> place_in_row_;  // by box
  std::vector<std::size_t> row_of_;   // by box
  std::vector<std::size_t> box_of_node_;
  double highest_bow_ = 0;  // of lines between nodes of the highest row
};

}  // namespace weir::app
