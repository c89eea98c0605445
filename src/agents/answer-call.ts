import { createHash } from 'node:crypto'
import { badCharacterIn } from '../domain/bad-characters.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { Json } from '../domain/json.ts'
import { countRepeated, type Lane, type LaneData, type RepeatCount } from '../domain/lane/lane.ts'
import type { ToolCall, ToolResult } from '../domain/lane/message.ts'
import { nextRequest } from '../domain/lane/next-request.ts'
import { isRefusedEnough, withRefusal } from '../domain/lane/refusals.ts'
import { limits } from '../domain/limits.ts'
import { providerName } from '../domain/mcp/provider-name.ts'
import { nearTools } from '../domain/reply/foreign-tools.ts'
import { redacted } from '../domain/secrets/redact.ts'
import { sentence } from '../domain/sentence.ts'
import { capText } from '../domain/text.ts'
import type { Expectation, ToolExecution } from '../ports/rows.ts'
import { SandboxEnded } from '../ports/sandbox.ts'
import { callProgress } from './call-progress.ts'
import type { LaneDependencies } from './lane.ts'
import { prepareEdit } from './prepare-edit.ts'
import { withoutKey } from './prompts/guidance.ts'
import { type CallContext, startedRow } from './started-row.ts'
import { type HandedOver, handedOver } from './tools/handed-over.ts'
import { offerOf } from './tools/offer-of.ts'
import { readInput } from './tools/read-input.ts'
import { isTerminal, terminalToolOf, toolSpecsOf, toolsOf } from './tools/registry.ts'
import { refuse, type Tool, type ToolContext, type ToolOutcome } from './tools/tool.ts'

/** An answered call, before it is counted with the others. */
export interface CallAnswer {
  readonly type: 'answered'
  readonly call: ToolCall
  /** The kind of the call's tool; null if no tool could take the call. */
  readonly kind: Tool['kind'] | null
  readonly isMalformed: boolean
  readonly outcome: Ran
  readonly execution: ToolExecution
}

export type Answer =
  | { readonly type: 'handed_over'; readonly call: HandedOver; readonly execution: ToolExecution }
  | CallAnswer

interface Answering extends CallContext {
  readonly deps: LaneDependencies
}

/**
 * Runs one call of a model, or hands it to the workflow to answer. Bad input is a result, never an
 * exception.
 */
export async function answerCall(asked: Answering, signal: AbortSignal): Promise<Answer> {
  const { lane, call, deps } = asked
  const startedAt = deps.clock.now()
  const checked = checkCall(asked)
  const row = startedRow(asked, startedAt)
  if (!('outcome' in checked) && (checked.tool.kind === 'terminal' || checked.tool.kind === 'wait')) {
    return { type: 'handed_over', call: handedOver(checked.tool, checked.input), execution: row }
  }
  const given: Ran = 'outcome' in checked ? checked.outcome : await runLive({ ...asked, ...checked, row }, signal)
  // Redaction precedes any cut: the rest of a cut key would no longer be recognized.
  const outcome: Ran = { ...given, output: withoutKey(deps.redact(given.output), lane.data.humanKey) }
  const now = deps.clock.now()
  const execution = {
    ...row,
    result: outcome.output,
    success: outcome.ok,
    durationMs: now.getTime() - startedAt.getTime(),
    finishedAt: now.toISOString(),
  }
  return {
    type: 'answered',
    call,
    outcome,
    execution,
    kind: 'outcome' in checked ? null : checked.tool.kind,
    isMalformed: 'outcome' in checked && checked.isMalformed === true,
  }
}

/** A result to add to the lane's, and its meaning for the lane. */
export interface CountedAnswer {
  readonly data: LaneData
  readonly result: ToolResult
  readonly execution: ToolExecution
  /**
   * True if the call was terminal, and was refused once more for a reason that it was told often
   * enough.
   */
  readonly isRefusedForGood: boolean
}

/** Counts an answer as a repetition of the one before, or as progress. */
export function countAnswer(data: LaneData, { call, kind, outcome, execution }: CallAnswer): CountedAnswer {
  const progress = callProgress(data, {
    kind,
    tool: call.tool,
    input: call.input,
    ok: outcome.ok,
    output: outcome.output,
    startedAt: execution.startedAt,
    expectation: outcome.expectation ?? null,
  })
  const repeated = countRepeated(data.repeated, digest([call.tool, call.input, outcome.output]))
  const output = repeated.count >= limits.identicalCallsWarn ? outcome.output + repeatWarning(repeated) : outcome.output
  // The last of several calls in one reply counts.
  const isEnd = isTerminal(data.role, call.tool) && data.results.length === data.calls.length - 1
  const refused = isEnd && !outcome.ok ? { tool: call.tool, reason: outcome.output } : null
  return {
    data: {
      ...data,
      repeated,
      progress,
      ...(outcome.todos && { todos: outcome.todos }),
      ...(refused && { refusals: withRefusal(data, refused) }),
    },
    isRefusedForGood: refused !== null && isRefusedEnough(data, refused),
    result: { callId: call.id, tool: call.tool, output, ok: outcome.ok },
    execution: { ...execution, result: output },
  }
}

/**
 * The row of a lane's next call, if that is a command or goes outside: the row is stored before the
 * call begins.
 */
export function startOfCommand(lane: Lane, now: Date): ToolExecution | null {
  const index = lane.data.results.length
  const call = lane.data.calls[index]
  if (!call) return null
  const checked = checkCall({ lane, call })
  const isStored = 'tool' in checked && (checked.tool.kind === 'command' || checked.tool.kind === 'outside')
  return isStored ? startedRow({ lane, index, call }, now) : null
}

/** True if a call may run in parallel with other calls, because its tool only reads. */
export function isReadBesideOthers({ data }: Lane, call: ToolCall): boolean {
  const tool = toolsOf(data.role).find(({ name }) => name === call.tool)
  return tool?.kind === 'read' && !tool.alone
}

export type CallCheck =
  | { readonly tool: Tool; readonly input: unknown }
  | { readonly outcome: ToolOutcome; readonly isMalformed?: boolean }

/**
 * Checks that the call may run: a known tool of the role, readable input, a terminal tool only
 * after calls that succeeded, and no other tool near the limit.
 */
export function checkCall({ lane, call }: Pick<CallContext, 'lane' | 'call'>): CallCheck {
  const { role, calls } = lane.data
  const offer = offerOf(lane.data)
  const tools = toolsOf(role, offer)
  const tool = tools.find(({ name }) => name === call.tool)
  if (!tool) {
    const names = tools.map(({ name }) => name)
    const near = nearTools(call.tool, names).map((name) => `\`${name}\``)
    const hint = near.length > 0 ? ` Use ${near.join(' or ')} here.` : ''
    const outcome = refuse(
      `There is no tool \`${call.tool}\`.${hint} Your tools are: ${names.map(providerName).join(', ')}.`,
    )
    return { outcome, isMalformed: true }
  }
  if (call.invalid !== undefined)
    return { outcome: refuse(`The call could not be read: ${call.invalid}`), isMalformed: true }
  const parsed = readInput(tool.input(), call.input)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
    const takes = JSON.stringify(toolSpecsOf(role, offer).find(({ name }) => name === call.tool)?.inputSchema)
    const unknown = parsed.unknown.map((key) => `${key}: there is no such field`)
    const said = `The input of \`${call.tool}\` is not valid:\n${[...problems.slice(0, 20), ...unknown.slice(0, 20)].join('\n')}`
    const outcome = refuse(`${said}\nIt takes, as JSON Schema: ${capText(takes, limits.schemaChars)}`)
    return { outcome, isMalformed: true }
  }
  const bad = badCharacterIn(parsed.data as Json)
  if (bad !== null) return { outcome: refuse(`${bad}, which no tool accepts.`) }
  if (tool.kind === 'edit' && JSON.stringify(parsed.data).includes(redacted)) {
    return {
      outcome: refuse(
        `The text contains ${redacted}, which stands for a hidden key or token. Edit around it: edit_file with an \`old\` beside it leaves it unchanged.`,
      ),
    }
  }
  const before = tool.kind === 'terminal' ? refusedForOthers({ lane, call }, calls) : null
  if (before !== null) return { outcome: refuse(before) }
  const allowed = nextRequest({ ...lane.data, iterations: lane.data.iterations - 1 })
  if (allowed === 'terminal_only' && tool.kind !== 'terminal') {
    return { outcome: refuse(`You have reached the limit. Only \`${terminalToolOf(role).name}\` is accepted now.`) }
  }
  return { tool, input: parsed.data }
}

/**
 * The reason why a terminal call is refused because of the calls before it; null if nothing blocks
 * it. A model that was told twice knows what it submits, so the workflow judges that.
 */
function refusedForOthers(
  { lane, call }: Pick<CallContext, 'lane' | 'call'>,
  calls: readonly ToolCall[],
): string | null {
  const { data } = lane
  const { results } = data
  const ends = calls.filter(({ tool }) => isTerminal(data.role, tool))
  if (ends.some(({ tool, input }) => tool !== call.tool || JSON.stringify(input) !== JSON.stringify(call.input)))
    return `\`${call.tool}\` was not carried out: several calls of your reply end your work here, and they differ. Make one of them.`
  if (results.length < calls.length - 1) return 'The same call comes once more in this reply, and counts there.'
  const failed = results.find(({ ok, tool }) => !ok && !isTerminal(data.role, tool))
  if (failed === undefined) return null
  const reason = `\`${call.tool}\` was not carried out, since \`${failed.tool}\` failed before it. Look at that first, then call it again.`
  return isRefusedEnough(data, { tool: call.tool, reason }) ? null : reason
}

interface Running extends Answering {
  readonly tool: Tool
  readonly input: unknown
  readonly row: ToolExecution
}

/** The outcome, with the state that an edit was to reach. */
type Ran = ToolOutcome & { readonly expectation?: Expectation }

/** Announces the call to viewers while it runs. */
async function runLive(running: Running, signal: AbortSignal): Promise<Ran> {
  const { deps, lane, call } = running
  const end = deps.live.calls(lane, call.tool, call.input)
  return runTool(running, signal).finally(end)
}

async function runTool(running: Running, signal: AbortSignal): Promise<Ran> {
  const { tool, input, row, deps } = running
  // A read changes nothing: it has no started row, and simply runs again after a crash.
  const before = tool.kind === 'read' ? null : await deps.started(row.turn, row.index)
  if (before && tool.kind === 'command') {
    return refuse(
      'Drydock was interrupted while this command ran. It may or may not have happened. Look before you run it again. Commands in the background have ended.',
    )
  }
  if (tool.kind === 'outside') {
    if (before && !tool.mcp.isReadOnly) return refuse(outcomeUnknown(tool.name))
    if (!before) await deps.start(row)
    return deps.callOutside?.(tool.mcp, input, signal) ?? refuse('There are no MCP servers here.')
  }
  const limited =
    tool.kind === 'command' ? signal : AbortSignal.any([signal, AbortSignal.timeout(deps.toolTimeoutSec * 1_000)])
  try {
    if (tool.kind === 'read') return await tool.run(input, await deps.readContext(limited))
    const context = await deps.editContext(limited)
    if (tool.kind === 'edit') return await runEdit({ ...running, tool, before, context })
    if (tool.kind !== 'command') throw new Error(`${tool.name} is not run here`)
    await deps.start(row)
    return await tool.run(input, context)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof DrydockError && tool.kind === 'read') {
      // No read can succeed any more, so the Run stops.
      if (error.code === 'architect_sandbox_ended') throw error
      return refuse(error.message)
    }
    if (error instanceof SandboxEnded) {
      return refuse(
        sentence`${error.message}. A new one is opened for the next call. The effect of this call is not known.`,
      )
    }
    if (limited.aborted) return refuse(`\`${tool.name}\` did not end within ${deps.toolTimeoutSec} s and was stopped`)
    throw error
  }
}

function outcomeUnknown(tool: string): string {
  return `Drydock was interrupted while \`${tool}\` ran. Its outcome is not known: it may or may not have happened. It was not repeated, since its server does not say that it only reads. Find out what happened before you call it again.`
}

interface Editing extends Running {
  readonly tool: Extract<Tool, { kind: 'edit' }>
  readonly before: ToolExecution | null
  readonly context: ToolContext
}

async function runEdit({ tool, input, row, before, context, deps }: Editing): Promise<Ran> {
  const edit = await prepareEdit({ tool, input, expectation: before?.expectation ?? null, context })
  if ('ok' in edit) return { ...edit, ...(before?.expectation && { expectation: before.expectation }) }
  if (!before) await deps.start({ ...row, expectation: edit.expectation })
  return { ...(await edit.perform()), expectation: edit.expectation }
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

function repeatWarning({ count }: RepeatCount): string {
  return `\n\n[drydock] You made this same call with the same result ${count} times in a row. Do something else: at ${limits.identicalCallsStop} times you are stopped.`
}
