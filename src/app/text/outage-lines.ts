import type { Outage } from '../../domain/run/fallback.ts'

/** One line for each model that was out during a Run, with the model that replaced it. */
export function outageLines(outages: readonly Outage[] = []): readonly string[] {
  return outages.map(({ model, by, reason, since, back }) => {
    const time = back === null ? `since ${minute(since)}` : `from ${minute(since)} to ${minute(back)}`
    return `${model} was out ${time} (${reason}); ${by} took its place`
  })
}

function minute(moment: string): string {
  return moment.slice(0, 16).replace('T', ' ')
}
