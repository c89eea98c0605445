import { realpathSync } from 'node:fs'
import { limits } from '../../domain/limits.ts'
import type { McpServerSettings } from '../../domain/mcp/server-settings.ts'
import { sentence } from '../../domain/sentence.ts'
import type { PlainMount, Sandbox } from '../../ports/sandbox.ts'
import type { RunningProgram } from '../../ports/sandbox-program.ts'
import { type Workspace, workspaceMounts } from '../../ports/work-trees.ts'
import { scripts, shipped } from '../../processes/installation.ts'
import { programAround } from '../../processes/program-around.ts'
import { ServerBroke } from './server-broke.ts'

export interface Starting {
  readonly sandbox: Pick<Sandbox, 'start'>
  /** PATH of the host, without the folders that an agent can write to. */
  readonly hostPath: string
  readonly settings: McpServerSettings
  /** The workspace of the calling agent, and its path inside the sandbox. */
  readonly workspace: Workspace | null
  readonly inside: string
}

/**
 * Starts a server in its own sandbox, which shows its program and the paths that the user names.
 */
export async function startServer(
  { sandbox, hostPath, settings, workspace, inside }: Starting,
  signal: AbortSignal,
): Promise<RunningProgram> {
  const { name, command, hosts, readOnlyPaths, isShown } = settings
  const found = await programAround(command ?? [], hostPath)
  if (typeof found === 'string') throw new ServerBroke(sentence`The MCP server ${name} cannot be started: ${found}.`)
  if ([found.file, ...(command ?? [])].some(isDrydock))
    throw new ServerBroke(`The MCP server ${name} is Drydock itself.`)
  const paths = [...new Set([...found.shown, ...readOnlyPaths])]
  const shown = isShown && workspace !== null ? workspaceMounts(workspace, { at: inside, access: 'read' }) : []
  const spec = {
    mounts: [...paths.map((path): PlainMount => ({ path, access: 'read' })), ...shown],
    // Without a calling agent, for example when the user lists its tools, the server sees an empty
    // workspace.
    ...(isShown && workspace === null && { scratch: [inside] }),
    cwd: isShown ? inside : '/tmp',
    env: settings.values().env,
    limits: limits.sandbox,
    ...(hosts.length > 0 && { egress: hosts }),
  }
  const started = await sandbox.start(spec, { argv: found.argv, ports: [] }, signal)
  if (!started.ok) throw new ServerBroke(sentence`The MCP server ${name} did not start: ${started.error.errorMessage}.`)
  return started.value
}

/** True if a path leads to Drydock's own program, under whatever name the command is called. */
function isDrydock(path: string): boolean {
  return [scripts.program, shipped('bin/drydock')].map(placeOf).includes(placeOf(path))
}

function placeOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
