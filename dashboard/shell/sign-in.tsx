import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type HubDoor, hubDoor } from '../data/sign-in.ts'
import { Empty } from '../parts/notice.tsx'
import { useTitle } from './notify.ts'
import { ProviderButton } from './provider-button.tsx'
import { TokenForm } from './token-form.tsx'

/** Shown if the browser has no session, or an ended one. */
export function SignIn({ hasEnded }: { readonly hasEnded: boolean }) {
  useTitle(0)
  const [client] = useState(() => new QueryClient())
  const [door, setDoor] = useState<HubDoor | null | undefined>(undefined)
  useEffect(() => void hubDoor().then(setDoor), [])
  if (door === undefined) return <main className="page narrow" />
  if (door !== null) {
    return (
      <main className="page narrow">
        <Empty isPage icon="settings" title={hasEnded ? 'Your session has ended' : 'Sign in'}>
          <QueryClientProvider client={client}>
            {door.provider !== null && (
              <>
                <ProviderButton provider={door.provider} />
                <p className="sub">or with a token</p>
              </>
            )}
            <TokenForm isOnly={door.provider === null} />
          </QueryClientProvider>
        </Empty>
      </main>
    )
  }
  return (
    <main className="page narrow">
      <Empty isPage icon="settings" title={hasEnded ? 'Your session has ended' : 'Open the link that Drydock prints'}>
        {hasEnded ? (
          <p>
            Run <code>drydock serve</code> for a new link, then open it in any tab.
          </p>
        ) : (
          <p>
            This browser has no session yet. Start <code>drydock serve</code> in the repository and open the whole
            address that it prints, including what comes after the #. It is good for one use; each start prints a new
            one.
          </p>
        )}
      </Empty>
    </main>
  )
}
