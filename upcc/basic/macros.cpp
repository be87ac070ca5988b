#include "basic/macros.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>

#include "basic/pieces.hpp"
#include "basic/source.hpp"

namespace upcc {

namespace {

constexpr std::size_t kMostPieces = 20000;      // of one expansion
constexpr std::string_view kAnything{"\0", 1};  // __LINE__ and its like

// The chain of macros that a piece has come through. Chains share their beginnings.
struct Chain {
  std::shared_ptr<const Chain> outer;
  std::string_view macro;
  std::size_t piece = 0;  // index in the macro's body
};
using ChainPtr = std::shared_ptr<const Chain>;

struct Item {
  std::string text;
  std::size_t offset = 0;  // in the original text: of the piece, or of the outermost macro's name
  bool written = true;
  ChainPtr chain;
  std::vector<std::string_view> hidden;  // macros that are not expanded again in it
};
using Items = std::vector<Item>;

struct Macro {
  std::string_view name;
  bool takes_arguments = false;
  bool variadic = false;
  std::vector<std::string_view> parameters;
  std::vector<Piece> body;
};

// "NAME(a, b...) body"
Macro parse_macro(std::string_view text) {
  Macro out;
  std::size_t at = 0;
  while (at < text.size() && is_word(text[at])) ++at;
  out.name = text.substr(0, at);
  out.takes_arguments = at < text.size() && text[at] == '(';
  if (out.takes_arguments) {
    const auto close = std::min(text.find(')', at), text.size());
    for (const Piece& piece : split_pieces(text.substr(at + 1, close - at - 1))) {
      if (is_name(piece.text)) {
        out.parameters.push_back(piece.text);
      } else if (piece.text == "." && !out.variadic) {
        out.variadic = true;
        // GNU: `name...` is a parameter with a name.
        const auto before = text.substr(at + 1, piece.at);
        const auto last = before.find_last_not_of(" \t");
        if (last == std::string_view::npos || before[last] == ',') out.parameters.emplace_back("__VA_ARGS__");
      }
    }
    at = std::min(close + 1, text.size());
  }
  out.body = split_pieces(text.substr(at));
  return out;
}

class Expander {
 public:
  // The text of a macro's definition; null if there is none.
  using Lookup = std::function<const std::string_view*(std::string_view)>;
  explicit Expander(Lookup lookup) : lookup_(std::move(lookup)) {}

  // Expands items until `wanted` are done. Gives fewer where a macro's arguments do not end.
  Items run(Items input, std::size_t wanted);

 private:
  const Macro* macro(std::string_view name);
  static bool collect(const Items& input, std::size_t& at, const Macro& macro, std::vector<Items>& arguments);
  Items substitute(const Macro& macro, const Item& name, std::vector<Items>& arguments);

  Lookup lookup_;
  std::unordered_map<std::string_view, Macro> parsed_;
  std::size_t made_ = 0;
};

const Macro* Expander::macro(std::string_view name) {
  if (!is_name(name)) return nullptr;
  const std::string_view* text = lookup_(name);
  if (text == nullptr) return nullptr;
  const auto [at, added] = parsed_.try_emplace(text->substr(0, name.size()));
  if (added) at->second = parse_macro(*text);
  return &at->second;
}

// The arguments from the `(` at `at` on; `at` is behind the `)` then.
bool Expander::collect(const Items& input, std::size_t& at, const Macro& macro, std::vector<Items>& arguments) {
  int depth = 0;
  arguments.emplace_back();
  for (std::size_t i = at; i < input.size(); ++i) {
    const std::string& text = input[i].text;
    if (text == "(" && depth++ == 0) continue;
    if (text == ")" && --depth == 0) {
      at = i + 1;
      return true;
    }
    const bool rest = macro.variadic && arguments.size() >= macro.parameters.size();
    if (text == "," && depth == 1 && !rest) {
      arguments.emplace_back();
    } else {
      arguments.back().push_back(input[i]);
    }
  }
  return false;
}

Items Expander::substitute(const Macro& macro, const Item& name, std::vector<Items>& arguments) {
  Items out;
  arguments.resize(std::max(arguments.size(), macro.parameters.size()));
  const auto parameter = [&](std::string_view text) {
    const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), text);
    return static_cast<std::size_t>(found - macro.parameters.begin());
  };
  const auto is_paste = [&](std::size_t i) {
    return i + 1 < macro.body.size() && macro.body[i].text == "#" && macro.body[i + 1].text == "#" &&
           macro.body[i + 1].at == macro.body[i].at + 1;
  };
  for (std::size_t i = 0; i < macro.body.size() && out.size() < kMostPieces; ++i) {
    const Piece& piece = macro.body[i];
    Item own{std::string(piece.text), name.offset, false,
             std::make_shared<const Chain>(Chain{name.chain, macro.name, i}), name.hidden};
    const std::size_t index = parameter(piece.text);
    const bool pasted = is_paste(i + 1) || (i >= 2 && is_paste(i - 2));
    if (is_paste(i)) {
      ++i;
      if (out.empty() || i + 1 >= macro.body.size()) continue;
      const Piece& next = macro.body[i + 1];
      const std::size_t argument = parameter(next.text);
      const bool named = argument < arguments.size();
      if (out.back().text == "," && macro.variadic && argument + 1 == macro.parameters.size()) {
        if (named && arguments[argument].empty()) out.pop_back();  // GNU: `, ## __VA_ARGS__`
        continue;
      }
      ++i;
      if (!named) {
        out.back().text += next.text;
      } else if (!arguments[argument].empty()) {
        out.back().text += arguments[argument].front().text;
        out.insert(out.end(), arguments[argument].begin() + 1, arguments[argument].end());
      }
    } else if (piece.text == "#" && macro.takes_arguments && i + 1 < macro.body.size()) {
      own.text = kAnything;  // a string literal
      out.push_back(std::move(own));
      ++i;
    } else if (index < arguments.size() && index < macro.parameters.size()) {
      const Items expanded = pasted ? arguments[index] : run(arguments[index], kMostPieces);
      out.insert(out.end(), expanded.begin(), expanded.end());
    } else {
      out.push_back(std::move(own));
    }
  }
  for (Item& item : out) item.hidden.push_back(macro.name);
  return out;
}

Items Expander::run(Items input, std::size_t wanted) {
  Items out;
  std::reverse(input.begin(), input.end());  // the next one is the last
  while (!input.empty() && out.size() < wanted && ++made_ < kMostPieces) {
    Item item = std::move(input.back());
    input.pop_back();
    const Macro* found = macro(item.text);
    const bool hidden =
        found != nullptr && std::find(item.hidden.begin(), item.hidden.end(), found->name) != item.hidden.end();
    if (item.text == "__LINE__" || item.text == "__FILE__" || item.text == "__COUNTER__") item.text = kAnything;
    const bool calls =
        found != nullptr && !hidden && (!found->takes_arguments || (!input.empty() && input.back().text == "("));
    if (!calls) {
      out.push_back(std::move(item));
      continue;
    }
    std::vector<Items> arguments;
    if (found->takes_arguments) {
      Items rest(input.rbegin(), input.rend());
      std::size_t at = 0;
      if (!collect(rest, at, *found, arguments)) return out;
      input.resize(input.size() - at);
    }
    Items body = substitute(*found, item, arguments);
    input.insert(input.end(), std::make_move_iterator(body.rbegin()), std::make_move_iterator(body.rend()));
  }
  return out;
}

// The place of a piece of the definition's body in the file that has it. Column 0: not found there.
MacroUse place_of(std::string_view macro, std::size_t piece, const std::string& file, std::uint32_t line) {
  MacroUse out{std::string(macro), file, line, 0};
  const std::string text = read_regular_file(file);
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos || text.empty()) return out;
  std::size_t end = at;
  do {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  } while (end < text.size() && (text[end - 2] == '\\' || text.compare(end - 3, 2, "\\\r") == 0));
  const std::string_view definition = std::string_view(text).substr(at, end - at);
  const auto pieces = split_pieces(definition);
  // # define NAME ( ... )
  if (pieces.size() < 3 || pieces[1].text != "define" || pieces[2].text != macro) return out;
  std::size_t first = 3;
  const std::size_t behind = pieces[2].at + macro.size();
  if (behind < definition.size() && definition[behind] == '(') {
    while (first < pieces.size() && pieces[first].text != ")") ++first;
    ++first;
  }
  if (first + piece >= pieces.size()) return out;
  const std::size_t offset = pieces[first + piece].at;
  const std::string_view before = definition.substr(0, offset);
  out.line = line + static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const auto start = before.rfind('\n');
  out.column = static_cast<std::uint32_t>(offset - (start == std::string_view::npos ? 0 : start + 1) + 1);
  return out;
}

}  // namespace

void MacroDefinitions::go_to(std::string_view file, std::uint32_t line) {
  if (file == file_ && line == line_) return;
  definitions_.clear();
  file_ = file;
  line_ = line;
  std::string here;
  std::uint32_t number = 1;
  std::string_view rest = listing_;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (text.starts_with("# ")) {
      const char* stop = std::from_chars(text.data() + 2, text.data() + text.size(), number).ptr;
      const std::string_view name = text.substr(static_cast<std::size_t>(stop - text.data()));
      const auto open = name.find('"');
      const auto close = name.rfind('"');
      if (open != std::string_view::npos && close > open) here = name.substr(open + 1, close - open - 1);
      continue;
    }
    const bool define = text.starts_with("#define ");
    const bool undef = text.starts_with("#undef ");
    if (!define && !undef && here == file && number >= line && !text.empty()) return;
    if (define || undef) {
      const std::string_view definition = text.substr(define ? 8 : 7);
      std::size_t length = 0;
      while (length < definition.size() && is_word(definition[length])) ++length;
      const std::string_view name = definition.substr(0, length);
      definitions_.erase(name);
      if (define) definitions_[name] = {definition, here, number};
    }
    ++number;
  }
}

std::optional<PieceOrigin> MacroDefinitions::origin(std::string_view original, std::string_view processed,
                                                    std::size_t column) const {
  const auto made = split_pieces(processed);
  const auto target = static_cast<std::size_t>(
      std::find_if(made.begin(), made.end(), [&](const Piece& p) { return column < p.at + p.text.size(); }) -
      made.begin());
  if (target >= made.size()) return {};
  Items input;
  for (const Piece& piece : split_pieces(original.substr(0, 1 << 14)))
    input.push_back({std::string(piece.text), piece.at, true, nullptr, {}});
  Expander expander([this](std::string_view name) -> const std::string_view* {
    const auto found = definitions_.find(name);
    return found == definitions_.end() ? nullptr : &found->second.text;
  });
  const Items expanded = expander.run(std::move(input), target + 1);
  if (expanded.size() <= target) return {};
  for (std::size_t i = 0; i <= target; ++i) {
    if (expanded[i].text != kAnything && expanded[i].text != made[i].text) return {};
  }
  const Item& item = expanded[target];
  PieceOrigin out;
  const std::string_view before = original.substr(0, item.offset);
  out.lines_below = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const auto start = before.rfind('\n');
  out.column = item.offset - (start == std::string_view::npos ? 0 : start + 1);
  out.written = item.written;
  if (item.written) {
    if (column > made[target].at) out.column += column - made[target].at;
    return out;
  }
  for (const Chain* chain = item.chain.get(); chain != nullptr; chain = chain->outer.get()) {
    const Definition& definition = definitions_.at(chain->macro);
    out.uses.insert(out.uses.begin(), place_of(chain->macro, chain->piece, definition.file, definition.line));
  }
  return out;
}

}  // namespace upcc
