import { expect, test } from 'vitest'
import { localToken } from '../forge/forge-model.ts'
import { configureForge, createLandingWorld } from '../forge/landing-world.ts'

test('a token that the forge and its git repeat is not said, whatever its variable is called', async () => {
  const world = await createLandingWorld()
  const { fixture, forge } = world
  await configureForge(fixture, forge, { token_env: 'WAY_IN' })
  const env = { LOCAL_FORGE_SECRET: '', WAY_IN: localToken }
  forge.answer(/pulls$/, { status: 403, body: { message: `${localToken} may not` } })
  const byForge = await world.landWith(env)
  await forge.onPush(`echo "${localToken} may not push" >&2; exit 1`)
  const byGit = await world.landWith(env)
  for (const said of [byForge, byGit]) {
    expect(said.exitCode).not.toBe(0)
    expect(said.stderr).toContain('may not')
    expect(said.stdout + said.stderr).not.toContain(localToken)
  }
})
