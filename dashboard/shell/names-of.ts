import type { RunList } from '../../src/api/runs.ts'
import type { Route } from '../router.ts'
import { places, placesOfRun } from './places.ts'

/** The names of a page for its tab's title: the narrowest first, the repository last. */
export function namesOf({ path }: Route, { runs, repository }: RunList): readonly string[] {
  const [first = '', id, place = '', story] = path
  const folder = repository.split('/').findLast((part) => part !== '') ?? ''
  const run = first === 'runs' ? runs.find((each) => each.run === id) : undefined
  const page =
    first !== 'runs'
      ? places().find((each) => each.id === first)?.title
      : place === 'stories'
        ? story
        : place === 'plan'
          ? 'Edit the plan'
          : placesOfRun(run).find((each) => each.id === place)?.title
  const ofBench = first === 'benches' ? [place, id] : []
  return [...ofBench, page, run?.title, folder].filter((name): name is string => name !== undefined && name !== '')
}
