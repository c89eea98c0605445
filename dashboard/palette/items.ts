import type { RunLine, RunList } from '../../src/api/runs.ts'
import type { Search, SearchResults } from '../../src/api/search.ts'
import type { IconName } from '../parts/icon.tsx'
import { href, type Route } from '../router.ts'
import { addressOf, places, placesOfRun } from '../shell/places.ts'
import type { PageAction } from './page-actions.ts'

/** One line of the palette. */
export interface Item {
  readonly id: string
  readonly title: string
  readonly about?: string | undefined
  readonly icon: IconName
  readonly keys?: readonly string[]
  /** The target or the action of the item. */
  readonly to: string | (() => void)
}

export interface Group {
  readonly title: string
  readonly items: readonly Item[]
}

interface PaletteState {
  readonly typed: string
  readonly actions: readonly PageAction[]
  readonly route: Route
  readonly list: RunList
  readonly search: Search | undefined
}

/** The number of Runs to offer before anything is typed. */
const latest = 5

export function groupsOf({ typed, actions, route, list, search }: PaletteState): readonly Group[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const isMeant = ({ title, about = '' }: Item) =>
    words.every((word) => `${title} ${about}`.toLowerCase().includes(word))
  const groups = [
    { title: 'On this page', items: actions.map(toAction).filter(isMeant) },
    { title: 'Go to', items: [...pagesOf(route, list), ...comparing(route, list)].filter(isMeant) },
    ...(words.length === 0
      ? [{ title: 'Latest runs', items: list.runs.slice(0, latest).map(toRun) }]
      : kinds.map(({ kind, title }) => ({
          title,
          items: (search?.found ?? []).filter((each) => each.kind === kind).map((each) => toItem(each, list)),
        }))),
  ]
  return groups.filter(({ items }) => items.length > 0)
}

const kinds = [
  { kind: 'run', title: 'Runs' },
  { kind: 'story', title: 'Stories' },
  { kind: 'file', title: 'Changed files' },
  { kind: 'test', title: 'Tests' },
  { kind: 'message', title: 'Messages' },
] as const

function toAction({ name, act }: PageAction): Item {
  return { id: `action ${name}`, title: name, icon: 'right', to: act }
}

/** The item that compares the current Run with another one, if there is another. */
function comparing({ path: [first, run] }: Route, { runs }: RunList): readonly Item[] {
  if (first !== 'runs' || run === undefined || runs.length < 2) return []
  const title = 'Compare with another run'
  return [{ id: 'compare this run', title, about: 'this run', icon: 'figures', to: href('compare', run) }]
}

function pagesOf({ path: [first, run] }: Route, { runs }: RunList): readonly Item[] {
  const own =
    first === 'runs' && run !== undefined
      ? placesOfRun(runs.find((each) => each.run === run)).map((place) => ({ place, run }))
      : []
  const taken = new Set(own.map(({ place }) => place.key))
  return [...own, ...places().map((place) => ({ place, run: undefined }))].map(({ place, run: of }) => ({
    id: `page ${of ?? ''} ${place.id}`,
    title: place.title,
    ...(of !== undefined && { about: 'this run' }),
    icon: place.icon,
    ...(place.key !== undefined && (of !== undefined || !taken.has(place.key)) && { keys: ['g', place.key] }),
    to: addressOf(place, of),
  }))
}

function toRun({ run, title, outcome }: RunList['runs'][number]): Item {
  return { id: `run ${run}`, title, about: outcome.label, icon: 'report', to: href('runs', run) }
}

const icons = { run: 'report', story: 'board', file: 'file', test: 'checks', message: 'chat' } as const

function toItem(found: SearchResults, list: RunList): Item {
  const { kind, run, run_title, story, id, text } = found
  const where = [story, run_title].filter((part) => part !== null && part !== text)
  return {
    id: JSON.stringify([kind, run, story, id, text]),
    title: text,
    about: where.join(' · '),
    icon: icons[kind],
    to: linkOf(
      found,
      list.runs.find((each) => each.run === found.run),
    ),
  }
}

function linkOf({ kind, run, story, id }: SearchResults, of: RunLine | undefined): string {
  switch (kind) {
    case 'run':
      return href('runs', run)
    case 'story':
      // A story of a plan is a section of the plan's page.
      if (of?.plan_only) return `${href('runs', run)}?story=${encodeURIComponent(id)}`
      return href('runs', run, 'stories', id)
    case 'file':
      return story === null ? href('runs', run, 'diff') : href('runs', run, 'stories', story, 'diff')
    case 'test':
      return href('runs', run, 'verifications', id)
    case 'message':
      return `${href('runs', run, 'chat')}?message=${encodeURIComponent(id)}`
    default:
      throw new Error(`unknown kind ${kind satisfies never}`)
  }
}
