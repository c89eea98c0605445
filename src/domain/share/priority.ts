export const priorities = ['low', 'normal', 'high'] as const

/** How much of what is shared the work on a Run gets while others want some of it, too. */
export type Priority = (typeof priorities)[number]

/** Slots that a Run of each priority gets for one of a low one. */
const weights: Readonly<Record<Priority, number>> = { low: 1, normal: 2, high: 4 }

export function weightOf(priority: Priority): number {
  return weights[priority]
}
