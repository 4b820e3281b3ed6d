// What a page does beyond showing: local times, keys, panes, marks without a reload. Reading works without any of it.

import { bindCopies } from "./copy.js";
import { bindKeys } from "./keys.js";
import { bindLists } from "./lists.js";
import { bindMarks } from "./marks.js";
import { bindMenus } from "./menus.js";
import { bindNotifications } from "./notify.js";
import { bindPalette } from "./palette.js";
import { bindPanes } from "./panes.js";
import { bindPictures } from "./pictures.js";
import { bindSheets } from "./sheet.js";
import { bindSide } from "./side.js";
import { localTimes } from "./times.js";
import { bindWords } from "./words.js";

localTimes(document);
bindKeys();
bindSheets();
bindCopies();
bindSide();
bindMarks();
bindPictures();
bindLists();
bindPanes();
bindWords();
bindPalette();
bindMenus();
bindNotifications();
