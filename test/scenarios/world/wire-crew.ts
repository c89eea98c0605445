import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireRequest } from '../../wire/wire-server.ts'
import type { Lanes } from './crew.ts'
import type { Fixture } from './fixture.ts'

/** A received request, with the only lane that can have sent it. */
export interface LaneRequest {
  readonly lane: string
  /** System prompt, messages and tools, byte by byte. */
  readonly raw: string
}

export interface WireCrew {
  readonly model: string
  readonly heard: readonly LaneRequest[]
  close(): Promise<void>
}

/**
 * A provider that plays the lanes of a crew. Like any provider, it does not know the lanes' names:
 * it distinguishes them by their requests, from which it also reads the coder and the commit.
 */
export async function startWireCrew(
  fixture: Fixture,
  lanes: Lanes,
  /** Replaces the lane's turn; null plays it. */
  instead: (heard: LaneRequest) => WireTurn | null | Promise<WireTurn | null> = () => null,
): Promise<WireCrew> {
  const heard: LaneRequest[] = []
  const server = await startWireServer(async (request) => {
    const lane = laneOf(request)
    heard.push({ lane, raw: request.raw })
    const other = await instead({ lane, raw: request.raw })
    if (other !== null) return other
    const turn = request.body.messages.filter(({ role }: { role: string }) => role === 'assistant').length
    const scripted = lanes[lane]?.[turn]
    if (scripted === undefined) return { refusal: { status: 400, body: `no turn ${turn} of ${lane}` } }
    return fill(scripted, request.body.messages[1].content)
  })
  const folder = join(fixture.folder, 'config', 'drydock')
  await mkdir(folder, { recursive: true })
  const provider = { kind: 'openai-compatible', baseURL: `${server.origin}/v1` }
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: { wire: provider } }))
  return { model: 'wire:crew', heard, close: () => server.close() }
}

/** A turn with the facts that its prompt names. */
export function fill(turn: object, prompt: string): WireTurn {
  const coder = /coder_id: "([^"]+)"/.exec(prompt)?.[1] ?? ''
  const sha = /as of commit (\w+)/.exec(prompt)?.[1] ?? ''
  return JSON.parse(JSON.stringify(turn).replaceAll('${coder_id}', coder).replaceAll('${sha}', sha))
}

/** The lane of a request, derived from its contents. */
export function laneOf({ body }: WireRequest): string {
  const [system, first] = body.messages as readonly { readonly content: string }[]
  const tools: readonly string[] = body.tools.map((tool: { function: { name: string } }) => tool.function.name)
  const prompt = first?.content ?? ''
  const story = /<task>\s*Make (\S+)/.exec(prompt)?.[1] ?? 'task'
  if (tools.includes('submit_stories')) return 'architect/STORY_GENERATION'
  if (tools.includes('submit_report')) return 'scout'
  if (tools.includes('submit_plan')) return `editor/${story}/PLANNING`
  if (tools.includes('submit_change')) return `editor/${story}/CODING`
  if (system?.content.includes('A human has written a spec')) return 'architect/SCOPING'
  if (system?.content.includes('needs a decision from you')) return `architect/REQUEST/question/${story}/1`
  const kind = prompt.includes("Review the editor's plan") ? 'plan' : 'code'
  return `architect/REQUEST/${kind}/${story}/${/round (\d+)/.exec(prompt)?.[1] ?? ''}`
}
