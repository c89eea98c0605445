import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { isLoopback } from '../domain/loopback.ts'
import { workToolNames } from '../domain/mcp/mcp-door.ts'
import { argument, program } from './program-schema.ts'
import { host } from './verification-schema.ts'

/** `mcp` of the user's file: MCP servers whose tools agents may call, by role. */

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })
const named = z.strictObject({ env: variable })
const either = { error: 'must be a text, or { "env": … }' }

// No underscore, since the first one in a tool's name ends the server's name.
const serverName = z.string().regex(/^[a-z][a-z0-9-]{0,23}$/, {
  error: 'must start with a letter, and may hold only lower-case letters, digits and "-", at most 24',
})

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'is no name of a header' })
const headerText = z.string().regex(/^[\t\x20-\x7e]*$/, { error: 'must be printable ASCII on one line' })

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === '', {
    error: 'must hold no user and no password; use headers',
  })
  .refine((text) => !URL.canParse(text) || new URL(text).protocol === 'https:' || isLoopback(new URL(text).hostname), {
    error: 'must begin with https:, unless the server is on this machine',
  })

const server = z
  .strictObject({
    command: z
      .tuple([program], argument)
      .exactOptional()
      .describe('The command that speaks MCP on its standard input and output. It runs in a sandbox of its own.'),
    url: url
      .exactOptional()
      .describe('Address of a server that speaks MCP over streamable HTTP, instead of a command.'),
    headers: z
      .record(headerName, z.union([headerText, named], either))
      .exactOptional()
      .describe('Headers of each request. { "env": "NAME" } takes the value from that environment variable.'),
    roles: z
      .array(z.enum(['architect', 'editor', 'scout']))
      .default([])
      .describe('The roles whose agents get its tools; none without it.'),
    tools: z.array(z.string().min(1)).min(1).exactOptional().describe('Only these of its tools; all without it.'),
    mount: z
      .literal('read')
      .exactOptional()
      .describe('Shows it the workspace of the agent that calls it, read-only; without it, no workspace.'),
    hosts: z
      .array(host)
      .default([])
      .describe('Hosts that the command may reach; "registry" means those of the package manager. None without it.'),
    env: z
      .record(variable, z.union([argument, named], either))
      .default({})
      .describe('Variables of its environment. The server can read them.'),
    read_only_paths: z
      .array(z.string().regex(/^(\/|~\/)/, { error: 'must be absolute or start with "~/"' }))
      .default([])
      .describe('What it needs beside its own program: shown to it, read-only.'),
    timeout_sec: z.int().min(1).max(3_600).default(limits.mcp.callSec).describe('Longest time of one call.'),
  })
  .superRefine((given, context) => {
    const complain = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message })
    const { command, url, headers, mount, hosts, env, read_only_paths, roles } = given
    if ((command === undefined) === (url === undefined)) complain('command', 'or `url` must be there, one of them')
    if (url === undefined && headers !== undefined) complain('headers', 'are for a server with a `url`')
    const ofPrograms = { mount, hosts: hosts[0], env: Object.keys(env)[0], read_only_paths: read_only_paths[0] }
    for (const [key, value] of Object.entries(ofPrograms))
      if (url !== undefined && value !== undefined) complain(key, 'is for a server with a `command`')
    if (mount !== undefined && roles.includes('architect'))
      complain('mount', 'cannot be given to the architect, which has no workspace of its own')
  })

export type McpServerEntry = z.output<typeof server>

/** `allow` and `budget_usd` concern `drydock mcp` itself; every other key names a server. */
export const mcpSchema = z
  .object({
    allow: z
      .array(z.enum(workToolNames))
      .exactOptional()
      .describe('Tools of `drydock mcp` by which a client may start, answer or cancel work; none without it.'),
    budget_usd: z
      .number()
      .positive()
      .exactOptional()
      .describe('Dollars that a run may cost that such a client starts; the usual budget without it.'),
  })
  .catchall(server)
  .superRefine((given, context) => {
    for (const name of Object.keys(given).filter((key) => key !== 'allow' && key !== 'budget_usd')) {
      const { error } = serverName.safeParse(name)
      for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', path: [name], message })
    }
  })
