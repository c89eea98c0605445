import { type ToldGuide, toldLine } from '../../../domain/guide/guide.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Records } from '../../../ports/store.ts'

/** The guides that the agents of a Run, or of one of its stories, received. */
export async function readToldGuides(records: Records, run: Run, story: string | null): Promise<readonly ToldGuide[]> {
  const told = run.data.config?.guides ?? []
  const lanes = (await records.machines({ kind: 'lane', run: run.id })).filter(
    (lane) => story === null || lane.story === story,
  )
  const given = new Map<string, string[]>()
  for (const { data } of lanes)
    for (const file of data.guided ?? []) given.set(file, [...(given.get(file) ?? []), data.key])
  const known = new Set(told.map(({ file }) => file))
  const later = [...given.keys()].filter((file) => !known.has(file)).map((file) => ({ file }))
  return [...told, ...later].map((each) => ({ ...each, lanes: given.get(each.file) ?? [] }))
}

export function toldGuidesSection(guides: readonly ToldGuide[]): string | null {
  if (guides.length === 0) return null
  return `## What the repository told its agents\n\n${guides.map((guide) => `- ${lineOf(guide)}`).join('\n')}`
}

function lineOf({ lanes, ...guide }: ToldGuide): string {
  const { file, kind, state, ...more } = guide
  const given = lanes.length === 0 ? null : `given to ${lanes.join(', ')}`
  if (kind === undefined || state === undefined) return `${file}: ${given}`
  return [toldLine({ file, kind, state, ...more }), given].filter(Boolean).join(', ')
}
