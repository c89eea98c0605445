import { randomBytes } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import {
  type AgentContext,
  agent,
  type ClientCapabilities,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk'
import { checkModels } from '../../app/commands/check-models.ts'
import { modelNames } from '../../app/views/window/model-names.ts'
import { limits } from '../../domain/limits.ts'
import { createClient } from './client.ts'
import { type ClientSession, createClientSession } from './client-session.ts'
import { findSession, listSessions } from './list-sessions.ts'
import { createRooms, type Room } from './room.ts'
import { invalid, rpcError, unknownSession } from './rpc-error.ts'
import type { StoredSession } from './session-file.ts'
import { configOptions, firstOptions, modeState } from './session-options.ts'

/** The dependencies that the caller supplies. */
export interface ServedAcp {
  readonly version: string
  readonly input: Readable
  /** The stream to the client. No other code may write to it. */
  readonly output: Writable
  /** Receives messages about failures outside the protocol. */
  readonly onError: (message: string) => void
  /** Removes secrets from everything that a client gets. */
  readonly redact: (text: string) => string
  readonly open: (directory: string) => Promise<Omit<Room, 'files'>>
  /** The folder whose sessions are listed if the client names none. */
  readonly directory: string
}

/**
 * Lets a client control Drydock over a pair of streams until the input ends. The work continues
 * afterwards.
 */
export async function serveAcp({ version, input, output, onError, redact, open, directory }: ServedAcp): Promise<void> {
  const rooms = createRooms(open)
  const sessions = new Map<string, ClientSession>()
  let capabilities: ClientCapabilities = {}
  const onBug = (error: unknown) => onError(error instanceof Error ? (error.stack ?? error.message) : String(error))

  const app = agent({ name: 'drydock' })
  /** Converts every failure of a handler to a JSON-RPC error. */
  const guarded =
    <Given extends unknown[], Answer>(handle: (...given: Given) => Promise<Answer>) =>
    (...given: Given) =>
      handle(...given).catch((error: unknown) => {
        throw rpcError(error, { redact, onError })
      })

  function opened(id: string): ClientSession {
    const session = sessions.get(id)
    if (session === undefined) throw unknownSession(id)
    return session
  }

  function enter(
    connection: AgentContext,
    room: Room,
    { id, stored }: { readonly id: string; readonly stored: StoredSession },
  ) {
    const client = createClient({ connection, capabilities, sessionId: id, redact: room.drydock.redact })
    const session = createClientSession({ id, room, client, stored, onBug })
    sessions.set(id, session)
    return session
  }

  /** Loads a stored session. Replaces this process's own copy, which may be out of date. */
  async function reopen(
    connection: AgentContext,
    { sessionId: id, cwd, mcpServers = [] }: { sessionId: string; cwd: string; mcpServers?: readonly McpServer[] },
    tell: boolean,
  ) {
    const room = await rooms.of(cwd)
    refuseServers(room, mcpServers)
    const stored = await findSession(room, id)
    if (stored === null) throw unknownSession(id)
    await sessions.get(id)?.leave()
    const session = enter(connection, room, { id, stored })
    await session.recall({ tell })
    return choices(session)
  }

  app
    .onRequest(
      methods.agent.initialize,
      guarded(async ({ params }) => {
        capabilities = params.clientCapabilities ?? {}
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: 'drydock', title: 'Drydock', version },
          authMethods: [],
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: false, audio: false, embeddedContext: true },
            mcpCapabilities: { http: false, sse: false },
            sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
          },
        }
      }),
    )
    .onRequest(
      methods.agent.session.new,
      guarded(async ({ params, client: connection }) => {
        const room = await rooms.of(params.cwd)
        refuseServers(room, params.mcpServers)
        // Reports at once an error that would fail every prompt.
        checkModels(room.drydock, room.options, { crew: false })
        const id = `s-${randomBytes(6).toString('hex')}`
        const session = enter(connection, room, { id, stored: { runs: [], options: firstOptions, deleted: false } })
        return { sessionId: id, ...choices(session) }
      }),
    )
    .onRequest(
      methods.agent.session.load,
      guarded(({ params, client: connection }) => reopen(connection, params, true)),
    )
    .onRequest(
      methods.agent.session.resume,
      guarded(({ params, client: connection }) => reopen(connection, params, false)),
    )
    .onRequest(
      methods.agent.session.list,
      guarded(async ({ params: { cwd, cursor } }) => {
        const listed = cwd == null ? [...rooms.all()] : [await rooms.of(cwd)]
        if (listed.length === 0) listed.push(await rooms.of(directory))
        const all = (await Promise.all(listed.map(listSessions))).flat()
        const from = cursor == null ? 0 : Number(cursor)
        if (!Number.isSafeInteger(from) || from < 0) throw invalid(`There is no cursor ${cursor}.`)
        const to = from + limits.acp.sessions
        return { sessions: all.slice(from, to), ...(all.length > to && { nextCursor: String(to) }) }
      }),
    )
    .onRequest(
      methods.agent.session.close,
      guarded(async ({ params: { sessionId } }) => {
        const session = opened(sessionId)
        await session.cancel()
        await session.leave()
        sessions.delete(sessionId)
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.delete,
      guarded(async ({ params: { sessionId } }) => {
        const session = sessions.get(sessionId)
        await session?.cancel()
        await session?.leave()
        sessions.delete(sessionId)
        const places = session ? [session.room] : rooms.all().length > 0 ? rooms.all() : [await rooms.of(directory)]
        for (const room of places) {
          const stored = await findSession(room, sessionId)
          // The Runs of the session stay, and `drydock status` lists them.
          if (stored !== null) await room.files.write(sessionId, { ...stored, deleted: true })
        }
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.setConfigOption,
      guarded(async ({ params: { sessionId, configId, value } }) => {
        const session = opened(sessionId)
        await session.choose({ id: configId, value }, namesFor(session))
        return { configOptions: choices(session).configOptions }
      }),
    )
    .onRequest(
      methods.agent.session.setMode,
      guarded(async ({ params: { sessionId, modeId }, client: connection }) => {
        const session = opened(sessionId)
        await session.choose({ id: 'mode', value: modeId }, namesFor(session))
        const update = { sessionUpdate: 'config_option_update', configOptions: choices(session).configOptions } as const
        await connection.notify(methods.client.session.update, { sessionId, update })
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.prompt,
      guarded(async ({ params, signal }) => {
        const cancelled = new AbortController()
        // The end of the connection also aborts the signal, but must not pause the work.
        const abort = () => connection.signal.aborted || cancelled.abort()
        signal.addEventListener('abort', abort, { once: true })
        return opened(params.sessionId).prompt(params.prompt, cancelled.signal)
      }),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.get(params.sessionId)?.cancel().catch(onBug)
    })

  const stream = ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>)
  const connection = app.connect(stream)
  await connection.closed
  await Promise.all([...sessions.values()].map((session) => session.leave()))
}

function namesFor({ room }: ClientSession): readonly string[] {
  return modelNames(room.drydock, room.options)
}

function choices(session: ClientSession) {
  const chosen = session.options()
  return { modes: modeState(chosen), configOptions: configOptions(chosen, namesFor(session)) }
}

/** Refuses MCP servers of the client: only the user's own file decides which servers agents use. */
function refuseServers({ drydock }: Room, servers: readonly McpServer[]): void {
  const ignored = drydock.user.acp.ignore_mcp_servers
  const names = servers.map(({ name }) => name).filter((name) => !ignored.includes(name))
  if (names.length === 0) return
  throw invalid(
    `Drydock starts no MCP servers of a client: ${names.join(', ')}. Remove them for this agent, or name them in "acp": { "ignore_mcp_servers": […] } of ${drydock.user.file}. They are not started then either.`,
  )
}
