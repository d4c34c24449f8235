// Sends the token of the operator; the server answers with a cookie for the page.
const form = document.getElementById("login");
const message = document.getElementById("message");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  message.textContent = "";
  try {
    const response = await fetch("/operator/login", { method: "POST", headers: { "X-Operator": "1" }, body: form.elements.token.value });
    if (response.ok) return location.reload();
    message.textContent = (await response.text()).trim() || `The server answers ${response.status}.`;
  } catch {
    message.textContent = "The server does not answer. Is it running?";
  }
  form.elements.token.select();
});
