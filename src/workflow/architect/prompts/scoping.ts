import { dataSection } from '../../../agents/prompts/data-section.ts'
import { type GuideTexts, guideSection } from '../../../agents/prompts/guide-section.ts'
import { allRepositories } from '../../../agents/prompts/repositories-section.ts'
import type { NamedRepository } from '../../../domain/run/repository.ts'
import type { Spec } from '../../../domain/run/spec.ts'

interface Scoping {
  readonly spec: Spec
  /** The commit from which the work starts. */
  readonly base: string
  readonly guide: GuideTexts | null
  /** All repositories of the Run, if it has several. */
  readonly repositories?: readonly NamedRepository[]
}

/** First message of the architect in SCOPING. */
export function scopingPrompt({ spec, base, guide, repositories = [] }: Scoping): string {
  return [
    dataSection('spec', spec.text),
    `The repository is at ${base}.`,
    allRepositories(repositories.map(({ name }) => name)),
    guide && guideSection(guide),
    'Find out what this spec means for this repository, and hand in your answer.',
  ]
    .filter(Boolean)
    .join('\n\n')
}

interface Listing {
  readonly spec: Spec
  /** The architect's response at the end of SCOPING. */
  readonly scoping: string
  readonly guide: GuideTexts | null
  readonly maxCoders: number
  /** All repositories of the Run, if it has several. */
  readonly repositories?: readonly NamedRepository[]
}

/** First message of the architect in STORY_GENERATION. */
export function storiesPrompt({ spec, scoping, guide, maxCoders, repositories = [] }: Listing): string {
  const atOnce =
    maxCoders === 1
      ? 'One editor builds them one after the other.'
      : `Up to ${maxCoders} editors build at the same time. Don't split more finely just to keep them all busy.`
  return [
    dataSection('spec', spec.text),
    `What the scoping found:\n${dataSection('scoping', scoping)}`,
    guide && guideSection(guide),
    allRepositories(repositories.map(({ name }) => name)),
    `Split the spec into stories. ${atOnce}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}
