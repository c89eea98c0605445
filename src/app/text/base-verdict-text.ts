import type { EventData } from '../../domain/event.ts'

/** The tests and steps that are red on the commit that a run starts from, before any change. */
export function baseVerdictText({ failing, count, steps, refused }: EventData['base_verdict']): string {
  const more = count - failing.length
  const names = [...failing, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return [
    count > 0 && `without any change ${count === 1 ? 'this test fails' : 'these tests fail'}: ${names}`,
    steps.length > 0 &&
      `without any change ${steps.join(', ')} ${steps.length === 1 ? 'fails' : 'fail'}; no test is named, so it cannot be allowed`,
    refused.length > 0 &&
      `not allowed to fail, since ${refused.length === 1 ? 'it does' : 'they do'} not fail on the base commit: ${refused.join(', ')}`,
  ]
    .filter((line) => line !== false)
    .join('; ')
}
