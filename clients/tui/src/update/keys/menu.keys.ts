import { just, type Binding } from '../../model.js';
import { acceptMenu, eraseMenu, moveMenu, openMenu, openPalette } from '../menu.update.js';
import { MAIN } from './places.js';

export const MENU_KEYS: readonly Binding[] = [
  {
    action: 'openPalette',
    keys: ['ctrl-p'],
    places: MAIN,
    help: 'search all commands',
    run: openPalette,
  },
  {
    action: 'openMenu',
    keys: ['.'],
    places: ['list'],
    help: 'actions for the selected row',
    run: openMenu,
  },
  { action: 'acceptMenu', keys: ['enter'], places: ['menu'], help: null, run: acceptMenu },
  {
    action: 'closeMenu',
    keys: ['escape', 'ctrl-c', 'ctrl-g'],
    places: ['menu'],
    help: null,
    run: (model) => just({ ...model, overlay: null }),
  },
  { action: 'menuUp', keys: ['up', 'ctrl-p'], places: ['menu'], help: null, run: (model) => moveMenu(model, -1) },
  {
    action: 'menuDown',
    keys: ['down', 'ctrl-n', 'tab'],
    places: ['menu'],
    help: null,
    run: (model) => moveMenu(model, 1),
  },
  { action: 'menuPageUp', keys: ['pageup'], places: ['menu'], help: null, run: (model) => moveMenu(model, -10) },
  { action: 'menuPageDown', keys: ['pagedown'], places: ['menu'], help: null, run: (model) => moveMenu(model, 10) },
  { action: 'eraseLeft', keys: ['backspace'], places: ['menu'], help: null, run: (model) => eraseMenu(model, false) },
  {
    action: 'eraseToStart',
    keys: ['ctrl-u', 'ctrl-w'],
    places: ['menu'],
    help: null,
    run: (model) => eraseMenu(model, true),
  },
];
