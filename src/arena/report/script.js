"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { texts, list } = data.games;
  const summary = data.summary;
  const find = (id) => document.getElementById(id);
  const PIECES = { K: "帅", A: "仕", B: "相", N: "马", R: "车", C: "炮", P: "兵",
                   k: "将", a: "士", b: "象", n: "马", r: "车", c: "炮", p: "卒" };
  const MATE = 31000, RULE = 25000;

  // An element with attributes and children; texts are never taken for HTML.
  function make(space, name, attributes, ...children) {
    const element = space ? document.createElementNS(space, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }
  const html = (name, attributes, ...children) => make(null, name, attributes, ...children);
  const svg = (name, attributes, ...children) =>
    make("http://www.w3.org/2000/svg", name, attributes, ...children);

  function fillTable(table, header, rows, textColumns) {
    const cell = (kind) => (content, column) =>
      html(kind, textColumns.includes(column) ? { class: "text" } : {}, String(content));
    table.replaceChildren(
      html("thead", {}, html("tr", {}, ...header.map(cell("th")))),
      html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map(cell("td"))))));
  }

  // without the sign of a zero
  const fixed = (value, digits) =>
    value === null ? "–" : value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");

  function showTables() {
    document.title = data.title;
    find("title").textContent = data.title;
    find("generator").textContent = "Made by " + data.generator;
    if (data.standing.length > 0) {
      find("standing").textContent = data.standing.join("\n\n");
      find("standing").hidden = false;
    }
    const percent = (part, all) => fixed(all ? 100 * part / all : null, 1);
    fillTable(find("engines"),
      ["", "Engine", "Elo", "±", "Games", "Won", "Drawn", "Lost", "Points", "%", "Draws %",
       "Depth", "kn/s", "ms/move", "Longest ms", "Failures"],
      summary.engines.map((engine, place) => [
        place + 1, engine.name, fixed(engine.elo, 1), fixed(engine.error, 1), engine.games,
        engine.wins, engine.draws, engine.losses, engine.points,
        percent(engine.points, engine.games), percent(engine.draws, engine.games),
        fixed(engine.mean_depth, 1),
        fixed(engine.nodes_per_second === null ? null : engine.nodes_per_second / 1000, 0),
        fixed(engine.mean_time_ms, 1), fixed(engine.longest_time_ms, 0), engine.failures]), [1]);
    if (summary.groups > 1) {
      find("groups").textContent = "The results do not tie all engines together (" +
        summary.groups + " groups): for the ratings each has been given one more game, drawn " +
        "with an average engine.";
      find("groups").hidden = false;
    }
    fillTable(find("cross"),
      ["", "Engine", ...summary.engines.map((_, place) => place + 1)],
      summary.engines.map((engine, place) => [
        place + 1, engine.name, ...summary.cross_table[place].map(
          (score) => score ? `+${score[0]} =${score[1]} −${score[2]}` : "·")]), [1]);
    const reasons = Object.keys(summary.terminations);
    fillTable(find("terminations"), ["Engine (won = drawn − lost)", ...reasons],
      summary.engines.map((engine) => [engine.name, ...reasons.map((reason) => {
        const counts = engine.terminations[reason];
        return counts ? `+${counts[2]} =${counts[1]} −${counts[0]}` : "·";
      })]), [0]);
  }

  // A game of the list with names for its parts.
  function unpack(entry) {
    const [number, round, places, result, moves, scores, depths, times] = entry;
    const [red, black, fen, opening, end, reason] = places.map((place) => texts[place]);
    return { number, round, red, black, fen, opening, end, reason, result,
             moves: moves.match(/..../g) || [], scores, depths, times };
  }

  const resultText = (result) => ({ "1": "1-0", "0": "½-½", "-1": "0-1" })[result];

  // ---- the list of games ----
  const PAGE = 200;
  let matching = [], shown = 0;

  function showGames() {
    const words = find("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    // by number, in whatever order they ended
    const order = list.map((_, place) => place).sort((a, b) => list[a][0] - list[b][0]);
    matching = order.filter((place) => {
      const [number, , places, result] = list[place];
      const text = [number, resultText(result), ...places.map((p) => texts[p])]
        .join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    fillTable(find("games"),
      ["Game", "Round", "Red", "Black", "Result", "Plies", "End", "Opening"], [], [2, 3, 6, 7]);
    find("count").textContent = matching.length + " of " + list.length;
    shown = 0;
    showMore();
  }

  function showMore() {
    const body = find("games").querySelector("tbody");
    for (const place of matching.slice(shown, shown + PAGE)) {
      const game = unpack(list[place]);
      const cells = [game.number, game.round, game.red, game.black, resultText(game.result),
                     game.moves.length, game.end, game.opening];
      const row = html("tr", { "data-place": place, title: game.reason },
        ...cells.map((content, column) =>
          html("td", [2, 3, 6, 7].includes(column) ? { class: "text" } : {}, String(content))));
      if (place === current) row.className = "here";
      body.append(row);
    }
    shown = Math.min(shown + PAGE, matching.length);
    find("more").hidden = shown >= matching.length;
  }

  // ---- the board ----
  let current = -1, game = null, positions = [], ply = 0, flipped = false, timer = null;
  let letters = !hasCharacters();

  // Whether the fonts here have the characters of the men: those that are
  // missing look the same.
  function hasCharacters() {
    const context = document.createElement("canvas").getContext("2d");
    const picture = (text) => {
      context.clearRect(0, 0, 40, 40);
      context.font = "24px serif";
      context.fillText(text, 4, 30);
      return context.getImageData(0, 0, 40, 40).data.join();
    };
    return picture("帅") !== picture("炮");
  }

  function readBoard(fen) {
    const board = {};
    fen.split(" ")[0].split("/").forEach((rank, row) => {
      let file = 0;
      for (const c of rank) {
        if (c >= "1" && c <= "9") file += Number(c);
        else board["abcdefghi"[file++] + (9 - row)] =
          ({ H: "N", h: "n", E: "B", e: "b" })[c] || c;
      }
    });
    return board;
  }

  function replay(game) {
    const boards = [readBoard(game.fen)];
    for (const move of game.moves) {
      const board = { ...boards[boards.length - 1] };
      board[move.slice(2)] = board[move.slice(0, 2)];
      delete board[move.slice(0, 2)];
      boards.push(board);
    }
    return boards;
  }

  const blackBegins = (game) => game.fen.split(" ")[1] === "b";
  const redMoved = (place) => (place % 2 === 0) !== blackBegins(game);

  function spot(square) {
    const x = "abcdefghi".indexOf(square[0]), y = 9 - Number(square[1]);
    return flipped ? [8 - x, 9 - y] : [x, y];
  }

  function drawBoard() {
    const parts = [];
    for (let y = 0; y < 10; y++) parts.push(svg("line", { x1: 0, x2: 8, y1: y, y2: y }));
    for (let x = 0; x < 9; x++) {
      if (x === 0 || x === 8) parts.push(svg("line", { x1: x, x2: x, y1: 0, y2: 9 }));
      else parts.push(svg("path", { d: `M${x} 0V4M${x} 5V9` }));
    }
    parts.push(svg("path", { d: "M3 0L5 2M5 0L3 2M3 7L5 9M5 7L3 9" }));
    if (!letters)
      parts.push(svg("text", { class: "river", x: flipped ? 6 : 2, y: 4.5 }, "楚河"),
                 svg("text", { class: "river", x: flipped ? 2 : 6, y: 4.5 }, "汉界"));
    for (let file = 0; file < 9; file++) {
      const [x] = spot("abcdefghi"[file] + "0");
      parts.push(svg("text", { class: "edge", x, y: 9.72 }, "abcdefghi"[file]));
    }
    for (let rank = 0; rank < 10; rank++) {
      const [, y] = spot("a" + rank);
      parts.push(svg("text", { class: "edge", x: -0.7, y }, String(rank)));
    }
    if (ply > 0) {
      const move = game.moves[ply - 1];
      for (const square of [move.slice(0, 2), move.slice(2)]) {
        const [x, y] = spot(square);
        parts.push(svg("rect", { class: "moved", x: x - 0.48, y: y - 0.48, width: 0.96, height: 0.96, rx: 0.1 }));
      }
    }
    for (const [square, piece] of Object.entries(positions[ply])) {
      const [x, y] = spot(square), side = piece < "a" ? "red" : "black";
      parts.push(svg("circle", { class: side, cx: x, cy: y, r: 0.42 }),
                 svg("text", { class: side, x, y }, letters ? piece : PIECES[piece] || piece));
    }
    find("board").replaceChildren(...parts);
  }

  // A score as a person reads it, from the view of the side that gave it.
  function scoreText(score) {
    if (score === null) return "";
    const sign = score < 0 ? "−" : "+", size = Math.abs(score);
    if (size >= MATE) return sign + "M" + (32000 - size);
    if (size > 20000) return sign + (size >= RULE ? "rule" : "table");
    return sign + (size / 100).toFixed(2);
  }

  function said() {
    if (ply === 0) return "Start";
    const place = ply - 1;
    const parts = [(redMoved(place) ? "Red " : "Black ") + game.moves[place]];
    if (game.scores[place] !== null) parts.push("score " + scoreText(game.scores[place]));
    if (game.depths[place]) parts.push("depth " + game.depths[place]);
    parts.push(game.times[place] + " ms");
    if (ply === game.moves.length) parts.push(game.reason);
    return parts.join(", ");
  }

  function drawGraph() {
    const count = Math.max(game.moves.length, 1);
    const x = (place) => 400 * place / count;
    // from Red's view, the bend keeps small scores apart and large ones inside
    const y = (place) => {
      const score = redMoved(place) ? game.scores[place] : -game.scores[place];
      return 40 - 38 * Math.atan(score / 300) / (Math.PI / 2);
    };
    // a line for each engine: the two may see the game differently
    const line = (isRed) => {
      const points = game.scores.map((score, place) =>
        score !== null && redMoved(place) === isRed &&
          `${x(place + 1).toFixed(1)},${y(place).toFixed(1)}`);
      const name = svg("title", {}, isRed ? game.red : game.black);
      const side = isRed ? "red" : "black";
      return svg("polyline", { class: side, points: points.filter(Boolean).join(" ") }, name);
    };
    find("graph").replaceChildren(
      svg("line", { class: "zero", x1: 0, x2: 400, y1: 40, y2: 40 }), line(true), line(false),
      svg("line", { class: "here", x1: x(ply), x2: x(ply), y1: 0, y2: 80 }));
  }

  function fenNow() {
    const ranks = [];
    for (let rank = 9; rank >= 0; rank--) {
      const line = [..."abcdefghi"].map((file) => positions[ply][file + rank] || "1").join("");
      ranks.push(line.replace(/1+/g, (gap) => gap.length));
    }
    const toMove = redMoved(ply) ? "w" : "b";
    return ranks.join("/") + " " + toMove;
  }

  function draw() {
    drawBoard();
    drawGraph();
    find("said").textContent = said();
    find("fen").textContent = fenNow();
    for (const span of find("moves").querySelectorAll("span"))
      span.className = Number(span.dataset.ply) === ply ? "here" : "";
    const here = find("moves").querySelector(".here");
    if (here) {
      const box = find("moves");
      box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 2;
    }
  }

  function listMoves() {
    const items = [];
    const first = blackBegins(game) ? 1 : 0;
    for (let place = -first; place < game.moves.length; place += 2) {
      const item = html("li", {});
      for (const half of [place, place + 1]) {
        if (half < 0) item.append("… ");
        else if (half < game.moves.length)
          item.append(html("span", { "data-ply": half + 1 }, game.moves[half]), " ");
      }
      items.push(item);
    }
    find("moves").replaceChildren(...items);
  }

  function open(place) {
    if (place < 0 || place >= list.length) return;
    current = place;
    game = unpack(list[place]);
    positions = replay(game);
    ply = 0;
    stop();
    find("players").replaceChildren(html("strong", {},
      `Game ${game.number}: ${game.red} – ${game.black} ${resultText(game.result)}`),
      ` ${game.opening ? game.opening + ". " : ""}${game.reason}`);
    listMoves();
    for (const row of find("games").querySelectorAll("tbody tr"))
      row.className = Number(row.dataset.place) === place ? "here" : "";
    // unlike the history this may be changed in a page from a file
    location.replace("#game=" + game.number);
    draw();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
  }

  function goTo(target) {
    if (!game) return;
    ply = Math.max(0, Math.min(game.moves.length, target));
    draw();
  }

  // The game that stands so many rows further in the list.
  function turn(rows) {
    const row = matching.indexOf(current);
    const next = matching[Math.max(0, Math.min(matching.length - 1, row + rows))];
    if (next !== undefined) open(next);
  }

  const actions = {
    first: () => goTo(0),
    back: () => goTo(ply - 1),
    on: () => goTo(ply + 1),
    last: () => goTo(Infinity),
    flip: () => { flipped = !flipped; goTo(ply); },
    letters: () => { letters = !letters; goTo(ply); },
    previous: () => turn(-1),
    next: () => turn(1),
    play: () => {
      if (timer) return stop();
      timer = setInterval(() => {
        goTo(ply + 1);
        if (!game || ply === game.moves.length) stop();
      }, 700);
    },
  };
  const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last",
                 ArrowUp: "previous", ArrowDown: "next", " ": "play", f: "flip", F: "flip",
                 l: "letters", L: "letters" };

  find("controls").addEventListener("click", (event) => {
    const action = actions[event.target.dataset.go];
    if (action) action();
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" || event.ctrlKey || event.altKey || event.metaKey) return;
    const action = actions[KEYS[event.key]];
    if (!action) return;
    event.preventDefault();
    action();
  });
  find("moves").addEventListener("click", (event) => {
    if (event.target.dataset.ply) goTo(Number(event.target.dataset.ply));
  });
  find("graph").addEventListener("click", (event) => {
    const box = find("graph").getBoundingClientRect();
    if (game) goTo(Math.round((event.clientX - box.left) / box.width * game.moves.length));
  });
  find("games").addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) {
      open(Number(row.dataset.place));
      find("viewer").scrollIntoView({ block: "nearest" });
    }
  });
  find("filter").addEventListener("input", showGames);
  find("more").addEventListener("click", showMore);

  showTables();
  showGames();
  const wanted = /#game=(\d+)/.exec(location.hash);
  const first = matching.length ? matching[0] : -1;
  const place = wanted ? list.findIndex((entry) => entry[0] === Number(wanted[1])) : first;
  open(place < 0 ? first : place);
})();
