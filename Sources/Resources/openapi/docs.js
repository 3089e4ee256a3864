// The document openapi.json as a page. Everything is set as text, so nothing in the document becomes markup.
"use strict";

const methods = ["get", "put", "post", "patch", "delete"];
const main = document.getElementById("main");
const index = document.getElementById("index");
const filter = document.getElementById("filter");

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

/** Text in which `words in backticks` are code and empty lines end paragraphs. */
const prose = (text = "") => {
  const fragment = document.createDocumentFragment();
  for (const paragraph of text.split(/\n+/).filter(Boolean)) fragment.append(make("p", {}, ...inline(paragraph)));
  return fragment;
};
const inline = (text = "") => text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));

let whole;
const resolve = (thing) => {
  let found = thing;
  while (found && found.$ref) found = found.$ref.slice(2).split("/").reduce((at, key) => at[key.replaceAll("~1", "/")], whole);
  return found ?? {};
};
const nameOf = (schema) => (schema?.$ref ? schema.$ref.split("/").pop() : null);

/** A schema's type in a few words. */
const kind = (schema) => {
  if (nameOf(schema) && resolve(schema).type === "object") return nameOf(schema);
  const plain = resolve(schema);
  // Beside members, oneOf says which of them belong together.
  if (plain.oneOf && !plain.properties) return plain.oneOf.map(kind).join(" or ");
  if (plain.type === "array") return `list of ${kind(plain.items ?? {})}`;
  const words = [[plain.type ?? "any"].flat().join(" or ")];
  if (plain.enum) words.push(plain.enum.filter((value) => value !== null).join(", "));
  if (plain.minimum !== undefined || plain.maximum !== undefined) words.push(`${plain.minimum ?? ""}…${plain.maximum ?? ""}`);
  if (plain.default !== undefined) words.push(`usually ${plain.default}`);
  return words.join(": ");
};

/** An example of a schema: its own, or one made of its members'. */
const example = (schema, depth = 0) => {
  const plain = resolve(schema);
  if (schema?.example !== undefined) return schema.example;
  if (plain.example !== undefined) return plain.example;
  if (plain.const !== undefined) return plain.const;
  if (plain.enum) return plain.enum[0];
  if (plain.oneOf && !plain.properties) return example(plain.oneOf[0], depth);
  switch ([plain.type].flat()[0]) {
    case "object":
      return depth > 5 ? {} : Object.fromEntries(Object.entries(plain.properties ?? {}).map(([key, value]) => [key, example(value, depth + 1)]));
    case "array": return depth > 5 ? [] : [example(plain.items ?? {}, depth + 1)];
    case "integer": return plain.minimum ?? 1;
    case "number": return Math.min(Math.max(0, plain.minimum ?? 0), plain.maximum ?? Infinity);
    case "boolean": return plain.default ?? true;
    default: return [plain.type].flat().includes("null") ? null : "…";
  }
};

const table = (head, rows) => make("table", {},
  make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
  make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, ...[cell].flat()))))));

const members = (schema) => {
  const plain = resolve(schema);
  if (!plain.properties) return null;
  return table(["member", "type", ""], Object.entries(plain.properties).map(([name, member]) => [
    make("code", plain.required?.includes(name) ? { class: "needed" } : {}, name), kind(member),
    inline(member.description ?? resolve(member).description ?? ""),
  ]));
};

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;
const curl = (path, method, operation, parameters) => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const parameter = parameters.find((one) => one.in === "path" && one.name === name);
    return encodeURIComponent(parameter?.example ?? resolve(parameter?.schema).example ?? name.toUpperCase());
  });
  const query = parameters.filter((one) => one.in === "query" && (one.required || one.example !== undefined))
    .map((one) => `${one.name}=${encodeURIComponent(one.example ?? "…")}`).join("&");
  const words = ["curl"];
  if (method !== "get") words.push("-X", method.toUpperCase());
  if ((operation.security ?? whole.security).some((one) => one.key)) words.push("-H", '"Authorization: Bearer $JAMJAR_KEY"');
  for (const one of parameters) if (one.in === "header" && (one.required || one.example !== undefined)) words.push("-H", quoted(`${one.name}: ${one.example ?? "*"}`));
  const body = resolve(operation.requestBody);
  const [type, content] = Object.entries(body.content ?? {})[0] ?? [];
  if (type) {
    words.push("-H", quoted(`Content-Type: ${type}`));
    words.push(type.endsWith("json") ? `-d ${quoted(JSON.stringify(content.example ?? example(content.schema)))}` : "--data-binary @offer.txt");
  }
  const target = quoted(location.origin + filled + (query ? `?${query}` : ""));
  const types = Object.entries(operation.responses).filter(([status]) => status.startsWith("2")).flatMap(([, one]) => Object.keys(resolve(one).content ?? {}));
  if (types.some((one) => /^(audio|application\/(zip|octet))/.test(one))) words.push("-OJ");
  return `${words.join(" ")} ${target}`;
};

const answers = (responses) => table(["status", "answer", "type"], Object.entries(responses).map(([status, one]) => {
  const response = resolve(one);
  return [make("code", {}, status), inline(response.description), Object.entries(response.content ?? {}).map(([type, content]) =>
    make("div", {}, make("code", {}, type), nameOf(content.schema) ? ` ${nameOf(content.schema)}` : ""))];
}));

const article = (path, method, operation, shared) => {
  const parameters = [...shared, ...(operation.parameters ?? [])].map(resolve);
  const command = curl(path, method, operation, parameters);
  const copy = make("button", { type: "button", "aria-label": "Copy the command" }, "copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(command);
    copy.textContent = "copied";
    setTimeout(() => (copy.textContent = "copy"), 1500);
  });
  const part = make("article", { id: operation.operationId, tabindex: "-1" },
    make("h3", {}, make("span", { class: `method ${method}` }, method.toUpperCase()), make("a", { href: `#${operation.operationId}`, class: "path" }, path), make("span", {}, operation.summary ?? "")),
    prose(operation.description));
  if (parameters.length) part.append(make("h4", {}, "Parameters"), table(["name", "in", "type", ""], parameters.map((one) => [
    make("code", one.required ? { class: "needed" } : {}, one.name), one.in, kind(one.schema), inline(one.description ?? "")])));
  const body = resolve(operation.requestBody);
  for (const [type, content] of Object.entries(body.content ?? {})) {
    part.append(make("h4", {}, "Body: ", make("code", {}, type), body.required ? "" : " (may be left out)"), prose(body.description));
    const rows = members(content.schema);
    if (rows) part.append(rows);
  }
  part.append(make("h4", {}, "Answers"), answers(operation.responses));
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const schema = success && resolve(success[1]).content?.["application/json"]?.schema;
  if (schema) part.append(make("h4", {}, `An answer of ${success[0]}`), make("pre", { tabindex: "0" }, make("code", {}, JSON.stringify(example(schema), null, 2))));
  part.append(make("h4", {}, "curl"), make("div", { class: "curl" }, make("pre", { tabindex: "0" }, make("code", {}, command)), copy));
  return part;
};

const show = (document_) => {
  whole = document_;
  const intro = make("section", {}, make("h1", {}, `${whole.info.title} REST, version ${whole.info.version}`), prose(whole.info.summary), prose(whole.info.description));
  main.replaceChildren(intro);
  for (const tag of whole.tags) {
    const list = make("ul");
    main.append(make("h2", { id: `tag-${tag.name}` }, tag.name), prose(tag.description));
    for (const [path, item] of Object.entries(whole.paths)) {
      for (const method of methods.filter((one) => item[one]?.tags?.includes(tag.name))) {
        const operation = item[method];
        main.append(article(path, method, operation, item.parameters ?? []));
        const link = make("a", { href: `#${operation.operationId}`, title: `${method.toUpperCase()} ${path}` }, make("span", { class: `method ${method}` }, method.toUpperCase()), ` ${operation.summary}`);
        const row = make("li", {}, link);
        row.dataset.words = `${method} ${path} ${operation.summary} ${operation.operationId}`.toLowerCase();
        list.append(row);
      }
    }
    index.append(make("section", {}, make("h2", {}, tag.name), list));
  }
  main.append(make("h2", { id: "schemas" }, "Shapes"));
  for (const [name, schema] of Object.entries(whole.components.schemas)) {
    if (!schema.properties) continue;
    main.append(make("article", { id: `schema-${name}`, tabindex: "-1" }, make("h3", {}, make("a", { href: `#schema-${name}`, class: "path" }, name)), prose(schema.description), members({ $ref: `#/components/schemas/${name}` })));
  }
  go();
};

/** Marks the operation of the address, and brings it into view. */
const go = () => {
  const name = decodeURIComponent(location.hash.slice(1));
  for (const link of index.querySelectorAll("a")) link.toggleAttribute("aria-current", link.hash === location.hash && name !== "");
  const target = name && document.getElementById(name);
  if (!target) return;
  target.scrollIntoView();
  target.focus({ preventScroll: true });
};

filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of index.querySelectorAll("li")) row.hidden = !words.every((word) => row.dataset.words.includes(word));
  for (const section of index.querySelectorAll("section")) section.hidden = !section.querySelector("li:not([hidden])");
});
filter.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { filter.value = ""; filter.dispatchEvent(new Event("input")); filter.blur(); }
  if (event.key === "Enter") index.querySelector("li:not([hidden]) a")?.click();
});
addEventListener("hashchange", go);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
  const links = [...index.querySelectorAll("li:not([hidden]) a")];
  const place = links.findIndex((link) => link.hash === location.hash);
  if (event.key === "/") { event.preventDefault(); filter.focus(); }
  if (event.key === "j") links[Math.min(place + 1, links.length - 1)]?.click();
  if (event.key === "k") links[Math.max(place - 1, 0)]?.click();
  if (event.key === "c") document.querySelector("article:target .curl button")?.click();
});

try {
  const answer = await fetch("openapi.json");
  if (!answer.ok) throw new Error(`openapi.json answers ${answer.status}`);
  show(await answer.json());
} catch (problem) {
  main.replaceChildren(make("p", { role: "alert" }, `The document cannot be shown: ${problem.message}`));
}
