import type { Event } from '../../src/api/events.ts'

export type EventGroup = 'moves' | 'agents' | 'tools' | 'gate' | 'reviews' | 'people' | 'trouble'

/** The group of each type of event. */
const groupOf: Readonly<Record<Event['type'], EventGroup>> = {
  run: 'moves',
  run_state: 'moves',
  state: 'moves',
  stories: 'moves',
  result: 'moves',
  merge: 'moves',
  landed: 'moves',
  landing: 'moves',
  lane: 'agents',
  model_call: 'agents',
  model_tried: 'agents',
  context_cut: 'agents',
  agent_session: 'agents',
  agent_update: 'agents',
  scout: 'agents',
  tool: 'tools',
  prepare: 'tools',
  git_progress: 'tools',
  verification: 'gate',
  acceptance: 'gate',
  review: 'reviews',
  request: 'reviews',
  remark: 'reviews',
  accepted: 'people',
  chat: 'people',
  escalation: 'people',
  escalation_answered: 'people',
  budget: 'people',
  plan_edit: 'people',
  base_verdict: 'trouble',
  agent_failed: 'trouble',
  mcp_withdrawn: 'trouble',
  fewer_coders: 'trouble',
  notification_failed: 'trouble',
  paused: 'trouble',
  suspended: 'trouble',
  model_replaced: 'trouble',
  resumed: 'trouble',
  unpriced: 'trouble',
  uncommitted: 'trouble',
  unkept: 'trouble',
  workspace_moved: 'trouble',
  error: 'trouble',
}

export const groupTitles: Readonly<Record<EventGroup, string>> = {
  moves: 'Moves and merges',
  agents: 'Agents and models',
  tools: 'Tools',
  gate: 'Verifications',
  reviews: 'Reviews',
  people: 'People',
  trouble: 'Trouble',
}

export const groupNames = Object.keys(groupTitles) as readonly EventGroup[]

/** The types of events in a group; none for null, which stands for all groups. */
export function typesOf(group: EventGroup | null): readonly string[] {
  return (Object.keys(groupOf) as Event['type'][]).filter((type) => groupOf[type] === group)
}
