// Starts Scalar on the page. Whatever would leave this server is switched off here, and
// forbidden by the Content-Security-Policy of the page besides.
const base = location.pathname.replace(/\/docs$/, "");
Scalar.createApiReference("#app", {
  // The button for a download links here. The page itself draws the annotated document.
  url: base + "/openapi.json",
  documentDownloadType: "direct",
  customFetch: (target, options) => fetch(target === base + "/openapi.json" ? base + "/docs/openapi.json" : target, options),
  // Requests go to where the page came from.
  baseServerURL: location.origin,
  authentication: { preferredSecurityScheme: "ApiKey" },
  // A key that was typed in is forgotten with the page.
  persistAuth: false,
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  // The list of operations in the try-out panel would lead around x-hideTryItPanel.
  customCss: "[role=dialog] .scalar-sidebar-toggle, [role=dialog] aside { display: none !important; }",
});
