import { pageNames, runPageNames, storyTabNames } from '../../dashboard/shell/page-names.ts'

/** Queries that show a page in another view. */
const ways: Readonly<Partial<Record<(typeof runPageNames)[number], readonly string[]>>> = {
  schedule: ['?view=table', '?at=1000000'],
  activity: ['/calls'],
}

/** Every page of the dashboard by its address, for a Run and one of its stories. */
export function pagesOf(run: string, story: string): readonly string[] {
  const slashed = (name: string) => (name === '' ? '' : `/${name}`)
  const ofRun = runPageNames.flatMap((name) => ['', ...(ways[name] ?? [])].map((way) => `${slashed(name)}${way}`))
  return [
    ...pageNames.map((name) => `#/${name}`),
    `#/compare/${run}`,
    ...[...ofRun, `?at=1000000&story=${story}`, `/agents/${story}`].map((page) => `#/runs/${run}${page}`),
    ...storyTabNames.map((name) => `#/runs/${run}/stories/${story}${slashed(name)}`),
  ]
}
