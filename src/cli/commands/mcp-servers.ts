import { usage } from '../../app/usage.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { asJson, type ServerRow, sayServer, sayTools } from '../screen/mcp-server-table.ts'
import { untilInterrupted } from './until-interrupted.ts'

/** Shows the user's MCP servers, and the tools that agents may use. */
export async function mcpServers(
  context: Context,
  [what = 'list', server, hash]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const servers = await drydock.mcpServers()
  if (servers === null) {
    output.say('You have no MCP servers. Add one to "mcp" in your own configuration: docs/mcp-tools.md')
    return 0
  }
  if (what === 'list') {
    if (server !== undefined) throw usage('`mcp-servers list` takes no name.', 'drydock mcp-servers list')
    for (const settings of servers.settings) {
      const listed = { settings, approval: await servers.approval(settings.name) }
      output.emit(asJson(listed))
      if (!output.json) sayServer(output, listed)
    }
    return 0
  }
  if (server === undefined)
    throw usage(`\`mcp-servers ${what}\` needs the name of a server.`, 'See: drydock mcp-servers list')
  const known = servers.settings.find(({ name }) => name === server)
  if (what === 'revoke') {
    const isRevoked = await servers.revoke(server)
    if (!isRevoked)
      throw new DrydockError('mcp_failed', `Nothing of ${server} is approved.`, {
        todo: 'See: drydock mcp-servers list',
      })
    output.emit({ type: 'mcp_server', server, event: 'revoked' })
    if (!output.json) output.say(`No agent gets a tool of ${server} any more.`)
    return 0
  }
  if (known === undefined) {
    const names = servers.settings.map(({ name }) => name).join(', ')
    throw usage(`There is no MCP server ${JSON.stringify(server)}.`, `Your own configuration has: ${names}`)
  }
  return untilInterrupted(async (signal) => {
    const looked = await servers.look(server, signal)
    if (!looked.ok)
      throw new DrydockError('mcp_failed', drydock.redact(looked.message), {
        todo: `Correct mcp.${server} of your configuration, or the server.`,
      })
    const { value: look } = looked
    const listed: ServerRow = { settings: known, approval: await servers.approval(server), look }
    if (hash === undefined) {
      output.emit(asJson(listed))
      if (output.json) return 0
      sayTools(output, listed)
      output.say(`\nOthers wrote these texts, and agents read them as they are. To approve exactly this:`)
      output.say(`  drydock mcp-servers approve ${server} ${look.hash}`)
      return 0
    }
    // Compares the whole hash, since the author of the definitions could construct another one with
    // an equal beginning.
    if (hash !== look.hash)
      throw new DrydockError('mcp_failed', `${server} has other tools than those of ${hash}; nothing is approved.`, {
        todo: `Look at them: drydock mcp-servers approve ${server}`,
      })
    await servers.approve(server, look)
    output.emit({ ...asJson({ ...listed, approval: await servers.approval(server) }), event: 'approved' })
    if (output.json) return 0
    const who = known.roles.length === 0 ? `nobody yet: name roles in mcp.${server}.roles` : known.roles.join(', ')
    output.say(
      `Approved ${look.offered.tools.length} tools of ${server}, for ${who}. Runs that start from now on have them.`,
    )
    return 0
  })
}
