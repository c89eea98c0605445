import { actRoutes } from '../../../api/act-routes.ts'
import { addHubToken, listHubTokens, revokeHubToken } from '../../commands/hub/hub-tokens.ts'
import { hubDoor } from '../doors.ts'
import { operation } from '../operation.ts'

export const tokens = operation(actRoutes.tokens, {
  async run({ door }) {
    const { rows, now } = hubDoor(door)
    return { tokens: await listHubTokens(rows, now()) }
  },
})

export const addToken = operation(actRoutes.addToken, {
  async run({ door }, { name, role, expires }) {
    const { rows, now } = hubDoor(door)
    return addHubToken(rows, { name, role, expires }, now())
  },
  isSecret: true,
  audited: ({ name: token, role }) => ({ what: 'token_added', token, role }),
})

export const revokeToken = operation(actRoutes.revokeToken, {
  async run({ door }, { name }) {
    await revokeHubToken(hubDoor(door).rows, name)
    return undefined
  },
  audited: ({ name: token }) => ({ what: 'token_revoked', token }),
})
