import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { finishProviderSignIn } from './data/provider-sign-in.ts'
import { signIn } from './data/sign-in.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/parts.css'
import './styles/board.css'
import './styles/story.css'
import './styles/pages.css'

const place = document.getElementById('app')
if (place === null) throw new Error('the page has no place for the app')

// A token that is refused changes nothing: who has no session then is told how to get one.
const tryToSignIn = () => signIn().catch(() => undefined)
// A link can also be opened in a tab that shows the dashboard already. This is heard before any
// page looks at the address.
window.addEventListener('hashchange', () => void tryToSignIn())
await finishProviderSignIn()
await tryToSignIn()

createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
