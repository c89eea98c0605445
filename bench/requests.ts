import type { Received } from './model-process.ts'

/**
 * Characters that count as one token: few for English and JSON, so that the estimate is rather too
 * high.
 */
const charactersOfToken = 3.5

/** System prompt, tools and messages of a request, as they are sent. */
export function tokensOfRequest(request: Received | undefined): number {
  const { system, tools, messages } = JSON.parse(request?.raw ?? '{}')
  return Math.ceil(JSON.stringify({ system, tools, messages }).length / charactersOfToken)
}

/**
 * Percent of the bytes of all requests after the first of a lane that the request before began
 * with, too: what a provider's cache can answer for.
 */
export function shareOfRepeatedBytes(tasks: readonly (readonly Received[])[]): number {
  let repeated = 0
  let all = 0
  for (const requests of tasks) {
    for (const [i, request] of requests.entries()) {
      const before = requests[i - 1]
      if (before === undefined || laneOf(before) !== laneOf(request)) continue
      const [mine, theirs] = [cached(request), cached(before)]
      repeated += lengthInCommon(mine, theirs)
      all += mine.length
    }
  }
  return (100 * repeated) / all
}

/** In the order in which a provider puts it before its model. */
function cached({ raw }: Received): string {
  const { system, tools, messages } = JSON.parse(unmarked(raw))
  return JSON.stringify([tools, system, messages])
}

function lengthInCommon(one: string, other: string): number {
  const end = Math.min(one.length, other.length)
  let length = 0
  while (length < end && one[length] === other[length]) length += 1
  return length
}

/**
 * Percent of the requests after the first of a lane that hold all of the request before, byte for
 * byte, in tools, system prompt and messages.
 */
export function shareOfKeptPrefixes(tasks: readonly (readonly Received[])[]): number {
  let kept = 0
  let all = 0
  for (const requests of tasks) {
    for (const [i, request] of requests.entries()) {
      const before = requests[i - 1]
      if (before === undefined || laneOf(before) !== laneOf(request)) continue
      all += 1
      if (holds(request.raw, before.raw)) kept += 1
    }
  }
  return (100 * kept) / all
}

/** The lanes of a task follow each other, and their tools differ. */
function laneOf({ raw }: Received): string {
  return JSON.stringify(JSON.parse(raw).tools)
}

function holds(raw: string, before: string): boolean {
  const [mine, theirs] = [unmarked(raw), unmarked(before)]
  const { messages, ...rest } = JSON.parse(mine)
  const { messages: earlier, ...restBefore } = JSON.parse(theirs)
  if (JSON.stringify(rest) !== JSON.stringify(restBefore)) return false
  const prefix = JSON.stringify(earlier).slice(0, -1)
  const end = theirs.indexOf(prefix) + prefix.length
  return theirs.includes(prefix) && messages.length > earlier.length && mine.slice(0, end) === theirs.slice(0, end)
}

/**
 * Anthropic's marks of what to cache move with the conversation; they are no part of what is
 * cached.
 */
function unmarked(raw: string): string {
  return raw.replaceAll(',"cache_control":{"type":"ephemeral"}', '')
}
