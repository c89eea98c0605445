import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The app is served under a policy that forbids inline scripts and styles, so nothing may be
 * inlined.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
