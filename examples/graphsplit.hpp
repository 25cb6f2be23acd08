// graphsplit.hpp - graphsplit.h for C++17: spans, an arena that grows, exceptions, ranges, lambdas.
// SPDX-License-Identifier: MIT OR Unlicense
//
// All is inline on top of the C functions: what a program does not use is not in it. The file that
// defines GRAPHSPLIT_IMPLEMENTATION may be another one, also a C file.
#ifndef GRAPHSPLIT_HPP_INCLUDED
#define GRAPHSPLIT_HPP_INCLUDED

#include "graphsplit.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gsp
{

// ---- texts and spans ----

inline gsp_str str(std::string_view text)
{
    return gsp_str{text.data(), static_cast<std::uint32_t>(text.size())};
}

inline std::string_view view(gsp_str text)
{
    return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

// A view of an array of the library; std::span of C++20 converts from it.
template <class T> class span
{
  public:
    constexpr span() = default;
    constexpr span(const T *data, std::size_t size) : data_(data), size_(size) {}
    constexpr const T *begin() const { return data_; }
    constexpr const T *end() const { return data_ + size_; }
    constexpr const T *data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const T &operator[](std::size_t i) const { return data_[i]; }

  private:
    const T *data_ = nullptr;
    std::size_t size_ = 0;
};

// ---- errors ----

// Thrown by check(); what() is the sentence of gsp_error_write().
class error : public std::runtime_error
{
  public:
    error(const gsp_error &e, const gsp_graph *graph) : std::runtime_error(text(e, graph)), e_(e) {}
    const gsp_error &get() const { return e_; }
    gsp_status status() const { return e_.status; }

  private:
    static std::string text(const gsp_error &e, const gsp_graph *graph)
    {
        std::string s;
        gsp_error_write(
            &e, graph,
            [](void *user, const char *data, std::size_t size) {
                static_cast<std::string *>(user)->append(data, size);
                return 0;
            },
            &s);
        return s;
    }
    gsp_error e_;
};

inline void check(gsp_status status, const gsp_error &e, const gsp_graph *graph = nullptr)
{
    if (status != GSP_OK) {
        throw error(e, graph);
    }
}

// ---- memory ----

// An arena that owns its blocks. Room for a call comes before the call, so results never move.
class arena
{
  public:
    explicit arena(std::size_t first = 1 << 16) { grow(first); }
    arena(const arena &) = delete;
    arena &operator=(const arena &) = delete;

    gsp_arena *get() { return &arena_; }

    // At least `bytes` free bytes, such as what a bound function returns.
    gsp_arena *room(std::size_t bytes)
    {
        if (bytes == SIZE_MAX) {
            throw std::length_error("graphsplit: the counts are too large");
        }
        if (gsp_arena_left(&arena_) < bytes) {
            grow(bytes);
        }
        return &arena_;
    }

  private:
    void grow(std::size_t bytes)
    {
        blocks_.push_back(std::unique_ptr<unsigned char[]>(new unsigned char[bytes]));
        gsp_arena_init(&arena_, blocks_.back().get(), bytes);
    }
    std::vector<std::unique_ptr<unsigned char[]>> blocks_;
    gsp_arena arena_{};
};

// ---- graphs ----

// A node of a graph, for loops: for (gsp::node v : gsp::nodes(graph)).
class node
{
  public:
    node(const gsp_graph &graph, gsp_node id) : graph_(&graph), id_(id) {}
    gsp_node id() const { return id_; }
    gsp_op op() const { return gsp_node_op(graph_, id_); }
    bool callable() const { return gsp_node_is_callable(graph_, id_) != 0; }
    std::uint64_t bytes() const { return gsp_node_bytes(graph_, id_); }
    std::string_view name() const { return view(gsp_node_name(graph_, id_)); }
    std::string_view target() const { return view(gsp_node_target(graph_, id_)); }
    std::string_view type() const { return view(gsp_node_type(graph_, id_)); }
    std::string_view attr(std::string_view key) const
    {
        return view(gsp_node_attr_find(graph_, id_, str(key)));
    }
    span<gsp_node> inputs() const { return row(gsp_node_inputs); }
    span<gsp_node> users() const { return row(gsp_node_users); }

  private:
    template <class F> span<gsp_node> row(F of) const
    {
        std::uint32_t n = 0;
        const gsp_node *at = of(graph_, id_, &n);
        return span<gsp_node>(at, n);
    }
    const gsp_graph *graph_;
    gsp_node id_;
};

class nodes
{
  public:
    class iterator
    {
      public:
        iterator(const gsp_graph &graph, gsp_node id) : graph_(&graph), id_(id) {}
        node operator*() const { return node(*graph_, id_); }
        iterator &operator++()
        {
            ++id_;
            return *this;
        }
        bool operator!=(const iterator &other) const { return id_ != other.id_; }

      private:
        const gsp_graph *graph_;
        gsp_node id_;
    };
    explicit nodes(const gsp_graph &graph) : graph_(&graph) {}
    iterator begin() const { return iterator(*graph_, 0); }
    iterator end() const { return iterator(*graph_, graph_->n_nodes); }

  private:
    const gsp_graph *graph_; // of the caller, which outlives nodes
};

inline gsp_module read(arena &a, std::string_view text)
{
    gsp_counts counts;
    gsp_module module;
    gsp_error e;
    check(gsp_text_count(text.data(), text.size(), &counts, &e), e);
    gsp_arena *room = a.room(gsp_build_bound(&counts));
    check(gsp_text_read(room, text.data(), text.size(), nullptr, &module, &e), e);
    return module;
}

inline std::string write(const gsp_module &module)
{
    std::string s;
    gsp_error e;
    auto append = [](void *user, const char *data, std::size_t size) {
        static_cast<std::string *>(user)->append(data, size);
        return 0;
    };
    check(gsp_text_write(&module, nullptr, append, &s, &e), e);
    return s;
}

// ---- splitting ----

// The subgraphs of a split, in order of execution.
inline span<gsp_node> subgraph(const gsp_split_result &split, std::uint32_t i)
{
    const std::uint32_t *begin = split.subgraph_begin + i;
    return span<gsp_node>(split.nodes + begin[0], begin[1] - begin[0]);
}

// Splits for one accelerator that takes the nodes for which takes(gsp::node) is true.
template <class F>
gsp_split_subgraphs_result split(arena &a, const gsp_graph &graph, F takes,
    gsp_split_subgraphs_desc desc = gsp_split_subgraphs_desc())
{
    gsp_rule rule = gsp_rule();
    gsp_accelerator const accelerator = {&rule, 1};
    gsp_split_subgraphs_result result;
    gsp_error e;
    rule.kind = GSP_RULE_CALL;
    rule.user = &takes;
    rule.func = [](void *user, const gsp_graph *g, gsp_node v) -> int {
        return (*static_cast<F *>(user))(node(*g, v)) ? 1 : 0;
    };
    desc.support.accelerators = &accelerator;
    desc.support.n_accelerators = 1;
    gsp_arena *room = a.room(gsp_split_subgraphs_bound(&graph, &desc));
    check(gsp_split_subgraphs_run(room, &graph, &desc, &result, &e), e, &graph);
    return result;
}

} // namespace gsp

#endif
