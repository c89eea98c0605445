import { Empty } from '../parts/notice.tsx'

export function SignIn() {
  return (
    <main className="page narrow">
      <Empty icon="settings" title="Open the link that Drydock prints">
        <p>
          This browser has not been let in yet. Start <code>drydock serve</code> in the repository and open the whole
          address that it prints, including what comes after the #. It is good for one use; each start prints a new one.
        </p>
      </Empty>
    </main>
  )
}
