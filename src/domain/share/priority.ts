export const priorities = ['low', 'normal', 'high'] as const

/** The share of resources for a Run when several Runs compete. */
export type Priority = (typeof priorities)[number]

/** Slots of a Run by priority, for each slot of a low one. */
const weights: Readonly<Record<Priority, number>> = { low: 1, normal: 2, high: 4 }

export function weightOf(priority: Priority): number {
  return weights[priority]
}
