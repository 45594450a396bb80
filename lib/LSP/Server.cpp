//===- Server.cpp - What an editor talks to -------------------------------===//
//
// Part of the SymShape project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread reads the editor, one upstream's server; a third, the main one,
// answers. Texts are analysed when the editor asks about them, or has been
// silent for a moment.
//
//===----------------------------------------------------------------------===//

#include "symshape/LSP/Server.h"
#include "Answers.h"
#include "Child.h"
#include "Document.h"
#include "Events.h"

#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <map>
#include <unistd.h>

using namespace mlir;
using namespace mlir::symshape;
namespace lsp = llvm::lsp;
namespace json = llvm::json;

// The silence after which a text that has changed is analysed.
static constexpr std::chrono::milliseconds kSilence(150);
// The `id` of messages whose answer nobody waits for.
static constexpr llvm::StringLiteral kNobody = "symshape-nobody";

namespace {
class LanguageServer {
public:
  explicit LanguageServer(const ServerCommands &commands)
      : command(commands.upstream), analyst(commands.analyst, commands.limit) {}
  int run();

private:
  /// A text, and what upstream's server last said about it.
  struct OpenText {
    Document document;
    json::Array theirs;
    int64_t theirVersion = -1;
  };
  /// A request that upstream's server has not answered yet.
  struct Asked {
    std::string method;
    json::Value id, ours;
  };

  void startUpstream();
  bool forward(StringRef message);
  void say(json::Object message);
  void answer(const json::Value &id, json::Value result);
  void publish(OpenText &open);
  OpenText *find(const json::Object &params);
  Document *findAnnotated(const json::Object &params);
  void annotate(OpenText &open);
  bool annotateOne();

  void onEditor(StringRef message);
  void onRequest(json::Object &request, StringRef message);
  void onNotification(const json::Object &notification, StringRef message);
  void onChange(StringRef method, const json::Object &params);
  void onUpstream(StringRef message);
  void onUpstreamEnd();
  json::Value hints(const json::Object &params);
  json::Value hover(const json::Object &params);
  json::Value actions(const json::Object &params);

  const std::vector<std::string> &command;
  Analyst analyst;
  EventQueue events;
  std::unique_ptr<Child> upstream; ///< null once it has ended
  unsigned numStarted = 0;
  std::optional<json::Value> initialParams;
  bool hasUTF8 = false;
  std::map<std::string, OpenText> texts; ///< by URI
  std::map<std::string, Asked> asked;    ///< by the text of their id
  bool isShutDown = false, isOver = false;
};
} // namespace

static std::string textOf(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

//===----------------------------------------------------------------------===//
// Messages out
//===----------------------------------------------------------------------===//

void LanguageServer::say(json::Object message) {
  message["jsonrpc"] = "2.0";
  if (!writeMessage(STDOUT_FILENO, textOf(std::move(message))))
    isOver = true;
}

void LanguageServer::answer(const json::Value &id, json::Value result) {
  say(json::Object{{"id", id}, {"result", std::move(result)}});
}

/// False if upstream's server is not there.
bool LanguageServer::forward(StringRef message) {
  return upstream && upstream->send(message);
}

/// Starts upstream's server and tells it all that it would know.
void LanguageServer::startUpstream() {
  unsigned child = ++numStarted;
  upstream = std::make_unique<Child>(
      command, [this, child](std::string message, bool isEnd) {
        events.push({Event::Upstream, isEnd, std::move(message), child});
      });
  if (!initialParams)
    return;
  auto tell = [&](json::Object message) {
    message["jsonrpc"] = "2.0";
    forward(textOf(std::move(message)));
  };
  tell(json::Object{
      {"id", kNobody}, {"method", "initialize"}, {"params", *initialParams}});
  tell(json::Object{{"method", "initialized"}, {"params", json::Object{}}});
  for (const auto &[uri, open] : texts)
    tell(json::Object{
        {"method", "textDocument/didOpen"},
        {"params",
         json::Object{
             {"textDocument", json::Object{{"uri", uri},
                                           {"languageId", "mlir"},
                                           {"version", open.document.version},
                                           {"text", open.document.text}}}}}});
}

/// Says what both know of a text; with its version once both know that.
void LanguageServer::publish(OpenText &open) {
  json::Array all = open.document.diagnostics();
  for (const json::Value &theirs : open.theirs)
    all.push_back(theirs);
  json::Object params{{"uri", open.document.uri},
                      {"diagnostics", std::move(all)}};
  if (!open.document.isStale && open.theirVersion == open.document.version)
    params["version"] = open.document.version;
  say(json::Object{{"method", "textDocument/publishDiagnostics"},
                   {"params", std::move(params)}});
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

LanguageServer::OpenText *LanguageServer::find(const json::Object &params) {
  const json::Object *document = params.getObject("textDocument");
  auto uri = document ? document->getString("uri") : std::nullopt;
  auto it = uri ? texts.find(uri->str()) : texts.end();
  return it == texts.end() ? nullptr : &it->second;
}

void LanguageServer::annotate(OpenText &open) {
  open.document.annotate();
  publish(open);
}

/// Annotates a text that has changed; false if there is none.
bool LanguageServer::annotateOne() {
  for (auto &[uri, open] : texts)
    if (open.document.isStale) {
      annotate(open);
      return true;
    }
  return false;
}

Document *LanguageServer::findAnnotated(const json::Object &params) {
  OpenText *open = find(params);
  if (open && open->document.isStale)
    annotate(*open);
  return open ? &open->document : nullptr;
}

void LanguageServer::onChange(StringRef method, const json::Object &params) {
  if (method == "textDocument/didClose") {
    if (OpenText *open = find(params))
      texts.erase(open->document.uri);
    return;
  }
  const json::Object *item = params.getObject("textDocument");
  auto uri = item ? item->getString("uri") : std::nullopt;
  if (!uri)
    return;
  if (method == "textDocument/didOpen") {
    texts.erase(uri->str());
    OpenText open{Document(*uri, analyst), {}};
    open.document.text = item->getString("text").value_or("").str();
    open.document.version = item->getInteger("version").value_or(0);
    texts.emplace(uri->str(), std::move(open));
    return;
  }
  OpenText *open = find(params);
  const json::Array *changes = params.getArray("contentChanges");
  if (!open || !changes)
    return;
  for (const json::Value &value : *changes) {
    lsp::TextDocumentContentChangeEvent change;
    json::Path::Root root;
    if (fromJSON(value, change, root))
      (void)change.applyTo(open->document.text);
  }
  open->document.version =
      item->getInteger("version").value_or(open->document.version + 1);
  open->document.isStale = true;
}

//===----------------------------------------------------------------------===//
// What we know
//===----------------------------------------------------------------------===//

/// The range or position of a request; `T()` if it gives none.
template <typename T>
static T read(const json::Value *value) {
  T result;
  json::Path::Root root;
  return value && fromJSON(*value, result, root) ? result : T();
}

json::Value LanguageServer::hints(const json::Object &params) {
  Document *document = findAnnotated(params);
  return document ? document->hintsIn(read<lsp::Range>(params.get("range")))
                  : json::Array();
}

json::Value LanguageServer::hover(const json::Object &params) {
  Document *document = findAnnotated(params);
  if (!document)
    return nullptr;
  return document->hoverAt(read<lsp::Position>(params.get("position")));
}

json::Value LanguageServer::actions(const json::Object &params) {
  Document *document = findAnnotated(params);
  return document ? document->actionsIn(read<lsp::Range>(params.get("range")))
                  : json::Array();
}

//===----------------------------------------------------------------------===//
// Messages in
//===----------------------------------------------------------------------===//

void LanguageServer::onRequest(json::Object &request, StringRef message) {
  const json::Value &id = *request.get("id");
  std::string method = request.getString("method")->str();
  const json::Object *stated = request.getObject("params");
  const json::Object empty;
  const json::Object &params = stated ? *stated : empty;
  if (method == "textDocument/inlayHint")
    return answer(id, hints(params));
  json::Value ours = nullptr;
  if (method == "textDocument/hover")
    ours = hover(params);
  else if (method == "textDocument/codeAction")
    ours = actions(params);
  else if (method == "initialize") {
    initialParams.emplace(json::Object(params));
    hasUTF8 = symshape::offersUTF8(params);
  } else if (method == "shutdown")
    isShutDown = true;
  if (forward(message))
    asked.insert_or_assign(textOf(id), Asked{method, id, std::move(ours)});
  else
    answer(id, mergeAnswers(method, std::move(ours), nullptr, hasUTF8));
}

void LanguageServer::onNotification(const json::Object &notification,
                                    StringRef message) {
  StringRef method = *notification.getString("method");
  const json::Object *params = notification.getObject("params");
  if (method == "exit") {
    isOver = true;
    return;
  }
  bool isChange = params && (method == "textDocument/didOpen" ||
                             method == "textDocument/didChange" ||
                             method == "textDocument/didClose");
  if (isChange)
    onChange(method, *params);
  if (!forward(message) && isChange)
    startUpstream();
}

void LanguageServer::onEditor(StringRef message) {
  llvm::Expected<json::Value> parsed = json::parse(message);
  json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (!object) {
    std::string problem =
        parsed ? "expected an object" : llvm::toString(parsed.takeError());
    return say(json::Object{
        {"id", nullptr},
        {"error",
         json::Object{{"code", -32700}, {"message", json::fixUTF8(problem)}}}});
  }
  if (!object->getString("method"))
    forward(message); // an answer
  else if (object->get("id"))
    onRequest(*object, message);
  else
    onNotification(*object, message);
}

void LanguageServer::onUpstream(StringRef message) {
  llvm::Expected<json::Value> parsed = json::parse(message);
  if (!parsed)
    return llvm::consumeError(parsed.takeError());
  json::Object *object = parsed->getAsObject();
  if (!object)
    return;
  const json::Value *id = object->get("id");
  auto method = object->getString("method");
  if (id && !method) {
    auto it = asked.find(textOf(*id));
    if (it == asked.end())
      return; // nobody waits for it
    Asked request = std::move(it->second);
    asked.erase(it);
    json::Value *result = object->get("result");
    if (!result && request.ours.kind() == json::Value::Null)
      return say(std::move(*object)); // an error
    return answer(
        request.id,
        mergeAnswers(request.method, std::move(request.ours),
                     result ? std::move(*result) : json::Value(nullptr),
                     hasUTF8));
  }
  json::Object *params = object->getObject("params");
  if (method == "textDocument/publishDiagnostics" && params) {
    auto uri = params->getString("uri");
    auto it = uri ? texts.find(uri->str()) : texts.end();
    const json::Array *diagnostics = params->getArray("diagnostics");
    if (it != texts.end() && diagnostics) {
      it->second.theirs = *diagnostics;
      it->second.theirVersion = params->getInteger("version").value_or(-1);
      return publish(it->second);
    }
  }
  say(std::move(*object));
}

/// Answers what is left with what we know.
void LanguageServer::onUpstreamEnd() {
  upstream.reset();
  llvm::errs() << "symshape-lsp-server: upstream's server has ended; it starts "
                  "again when a text changes\n";
  for (auto &[id, request] : asked)
    answer(request.id, mergeAnswers(request.method, std::move(request.ours),
                                    nullptr, hasUTF8));
  asked.clear();
  for (auto &[uri, open] : texts)
    open.theirs.clear();
}

int LanguageServer::run() {
  std::thread reader([&] { readEditor(events); });
  startUpstream();
  while (!isOver) {
    std::optional<Event> event = events.pop(kSilence);
    if (!event)
      annotateOne();
    else if (event->source == Event::Editor && event->isEnd)
      isOver = true;
    else if (event->source == Event::Editor)
      onEditor(event->message);
    else if (event->child != numStarted)
      continue; // of one that has been replaced
    else if (event->isEnd)
      onUpstreamEnd();
    else
      onUpstream(event->message);
  }
  upstream.reset();
  reader.join();
  return isShutDown ? 0 : 1;
}

int mlir::symshape::runLanguageServer(const ServerCommands &commands) {
  std::signal(SIGPIPE, SIG_IGN); // a write to one that has ended fails instead
  return LanguageServer(commands).run();
}
