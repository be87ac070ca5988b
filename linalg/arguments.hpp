// What every function of the interface looks at before it works: one line names the first argument that is wrong.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linalg/matrix.hpp"
#include "linalg/report.hpp"

namespace weft::la {

/// Collects the first problem of a call. Ranks give the same arguments, so all of them find the same; the first of the
/// grid prints it. Where ranks are compared, status() does that, so it is collective, and all ranks ask it equally
/// often. They then name the same arguments, whatever is wrong with them.
class Arguments {
 public:
  static constexpr size_t name_bytes = 32;  ///< of a function, as ranks tell it each other

  explicit Arguments(const char* function, bool compares = checks_ranks()) : function_(function), compares_(compares) {
    needs_job(function);
  }

  /// `needed`: else NULL will do. It is the same on all ranks that give the same.
  Arguments& not_null(const char* name, const void* pointer, bool needed = true) {
    const bool usable = pointer != nullptr || !needed;
    pointer_is(name, usable ? Given::usable : Given::null);
    if (!usable) fail("%s is NULL", name);
    return *this;
  }
  Arguments& team(weft_team_t team) {
    meet_on(team, "members of the team");
    return *this;
  }
  Arguments& grid(const Grid* grid) {
    if (is_usable("grid", grid)) meet_on(grid->all, "ranks of the grid");
    return *this;
  }
  Arguments& matrix(const char* name, const Matrix* matrix);
  Arguments& size(const char* name, int64_t value) {
    alike(name, value);
    if (value < 0) fail("%s is %lld; it is at least 0", name, static_cast<long long>(value));
    return *this;
  }
  /// One of the values 0 to most. What depends on it is not looked at before status() has been asked.
  template <class Enumeration>
  Arguments& choice(const char* name, const Enumeration& given, int most) {
    const int value = number_of(given);
    alike(name, value);
    if (value < 0 || value > most) fail("%s is %d; its values are 0 to %d", name, value, most);
    return *this;
  }
  /// rows x columns from the part's start lie in its matrix.
  Arguments& part(const char* name, const weft_la_part_t& part, int64_t rows, int64_t columns);
  /// What is written, one, has nothing of what is read.
  Arguments& disjoint(const char* name, const weft_la_part_t& one, int64_t rows, int64_t columns,
                      const char* other_name, const weft_la_part_t& other, int64_t other_rows, int64_t other_columns);
  Arguments& same_type(const char* name, const Matrix* matrix, const char* other_name, const Matrix* other);
  Arguments& same_grid(const char* name, const Matrix* matrix, const char* other_name, const Matrix* other);

  /// What all ranks give alike.
  Arguments& alike(std::string_view name, int64_t value) { return alike(name, value, number); }
  Arguments& alike_type(std::string_view name, int type) { return alike(name, type, type_text); }
  /// One element of that type, which is the same on all ranks.
  Arguments& alike_element(const std::string& name, weft_la_type_t type, const void* element);
  [[gnu::format(printf, 2, 3)]] void fail(const char* format, ...);

  const char* function() const { return function_; }
  /// WEFT_OK, or WEFT_ERR_INVALID after the line. Ends the job if ranks are compared but no grid is known: others may
  /// have gone on.
  int status();

 private:
  using Text = std::string (*)(int64_t);  // what a line says for a value
  struct Value {
    std::string name;
    int64_t value;
    Text text;
  };
  static std::string number(int64_t value);
  static std::string type_text(int64_t type);

  Arguments& alike(std::string_view name, int64_t value, Text text) {
    if (compares_) values_.push_back({std::string(name), value, text});
    return *this;
  }
  void pointer_is(const char* name, Given given);
  template <class Object>
  bool is_usable(const char* name, const Object* object) {
    const Given what = given(object);
    if (what == Given::freed && team_ == WEFT_TEAM_NONE) speaks_ = object->speaks;
    pointer_is(name, what);
    if (what != Given::usable) fail("%s %s", name, problem(what));
    return what == Given::usable;
  }
  void meet_on(weft_team_t team, const char* members) {
    team_ = team;
    members_ = members;
    speaks_ = weft_team_rank(team) == 0;
  }
  bool same_function();
  void compare();
  uint32_t least(uint32_t mine) const;
  void reaches(const char* name, const char* what, int64_t start, int64_t count, int64_t extent,
               const weft_la_layout_t& layout);

  const char* const function_;
  const bool compares_;
  std::optional<bool> speaks_;  // whether this rank says what is wrong; none: no argument has told yet
  weft_team_t team_ = WEFT_TEAM_NONE;
  int64_t meeting_grid_ = INT64_MAX;  // the grid's number, where the team is a grid's
  const char* members_ = nullptr;
  std::vector<Value> values_;  // to compare: since status() was asked last
  int status_ = WEFT_OK;
  std::string problem_;  // not printed yet
};

}  // namespace weft::la
